"""A scene of targets that is worked by hand, and what protocols say of pairs."""

from __future__ import annotations

import numpy as np

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.target import Target


def drawn(*lines: str) -> np.ndarray:
    return np.array([[mark == "#" for mark in line] for line in lines])


def scored(protocol: Protocol, pairs, conventions: Conventions) -> list[measure.Scored]:
    return [
        measure.scored(
            protocol, represent.prediction(pred, conventions, gt.shape), Target(gt), conventions
        )
        for pred, gt in pairs
    ]


def told(text: str, *pairs, **choices) -> dict[str, report.Told]:
    conventions = Conventions(stretch=False, **choices)
    protocol = Protocol.parse(text)
    return report.of_samples(protocol, scored(protocol, pairs, conventions), conventions)


def value(text: str, *pairs, **choices) -> float:
    return told(text, *pairs, **choices)[""].value


GT = drawn(
    "##....#",
    "##.....",
    ".......",
    "....###",
)
PRED = drawn(
    ".##....",
    ".##....",
    "......#",
    "....##.",
)  # fmt: skip
