"""The general path: one pair led through stages 1 to 4, step by step, for any protocol."""

from __future__ import annotations

import dataclasses
import math
import struct
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import extract, score
from fastsegmetrics.protocol.extract import Map, Mask, Region, Regions
from fastsegmetrics.protocol.match import Matches, match, survivors, tally
from fastsegmetrics.protocol.options import Components, Dynamic, Soft, Whole
from fastsegmetrics.protocol.score import Setting
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.represent import MapInput
from fastsegmetrics.scores import area
from fastsegmetrics.target import Target

_HEAD = struct.Struct("<6I")
NO_TARGET = "the truth has no target"
NO_PAIR = "no target is matched"
UNDEFINED = "the score is undefined on this pair"
INFINITE = "the score is infinite on this pair: one side has no point"


class Scored(NamedTuple):
    """What stage 4 gave for one pair.

    Attributes
    ----------
    values : ndarray of float64, shape (S, U, T)
        By series (two for the curves of an area, x and y), target and threshold.
    sizes : ndarray of float64, shape (U,)
        Area of each target in pixels.
    counts : ndarray of float64, shape (U, T, K), or None
        What the values were made from; for a survival curve one row makes all of it.
    reason : str
        Why nothing could be scored, if nothing could.
    """

    values: NDArray[np.float64]
    sizes: NDArray[np.float64]
    counts: NDArray[np.float64] | None
    reason: str = ""

    def to_bytes(self) -> bytes:
        """Return a compact form from which `from_bytes` restores every bit."""
        table = (0, 0) if self.counts is None else self.counts.shape[1:]
        reason = self.reason.encode()
        arrays = [self.values, self.sizes] + ([] if self.counts is None else [self.counts])
        return b"".join(
            [_HEAD.pack(*self.values.shape, *table, len(reason)), reason]
            + [np.ascontiguousarray(array).astype("<f8").tobytes() for array in arrays]
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Scored:
        """Read what `to_bytes` wrote."""
        series, units, steps, rows, columns, length = _HEAD.unpack_from(data)
        at = _HEAD.size + length
        numbers = np.frombuffer(data, "<f8", offset=at).astype(np.float64)
        ends = np.cumsum([series * units * steps, units])
        values, sizes, counts = np.split(numbers, ends)
        return cls(
            values.reshape(series, units, steps),
            sizes,
            counts.reshape(units, rows, columns) if columns else None,
            data[_HEAD.size : at].decode(),
        )


def reading(protocol: Protocol, conventions: Conventions) -> Conventions:
    """Return the conventions under which a map is read for a protocol."""
    if protocol.representation.stretch:
        return dataclasses.replace(conventions, stretch=False)
    return conventions


def scored(protocol: Protocol, pred: MapInput, target: Target, conventions: Conventions) -> Scored:
    """Lead one pair through stages 1 to 4.

    Parameters
    ----------
    protocol : Protocol
        The path.
    pred : MapInput
        What `represent.prediction` returned under `reading` of the conventions.
    target : Target
        The truth, with its photograph if the score looks at it.
    conventions : Conventions
        Policy and constants.

    Raises
    ------
    InputError
        When an 8-bit map seems to be a mask of 0 and 1.
    """
    represent.check_levels(pred, conventions)
    values, g = represent.unit_values(pred), target.mask == 1
    path = _Path(protocol, values, g, Setting(conventions, target.image))
    if isinstance(protocol.target, Whole):
        return path.of_units([(values, g, int(g.sum()))])
    if protocol.target.on == "both":
        return path.of_matches(protocol.target)
    return path.of_truths(protocol.target)


class _Path:
    """One pair on its way through a protocol."""

    def __init__(self, protocol: Protocol, values: Map, g: Mask, setting: Setting) -> None:
        self.protocol, self.values, self.g, self.setting = protocol, values, g, setting
        self.soft = isinstance(protocol.representation, Soft)
        self.name, self.mode = protocol.score.name, protocol.score.mode
        self.form = protocol.target.form

    def of_truths(self, option: Components) -> Scored:
        """Score each target of the truth against what of the map is at its place."""
        regions = extract.targets_of(self.g, option, truth=True)
        if not regions.found and option.empty == "undefined":
            return self._nothing(NO_TARGET)
        if not regions.found:
            places: list[Mask | tuple[slice, slice]] = [(slice(None), slice(None))]
            sizes = [0]
        else:
            boxes = option.encoding == "box"
            places = [r.box if boxes else regions.mask(r) for r in regions.found]
            sizes = [region.area for region in regions.found]
        if self.protocol.report.average == "balanced":
            return self._balanced(places)
        return self.of_units(
            [
                (extract.within(self.values, place), extract.within(self.g, place), size)
                for place, size in zip(places, sizes, strict=True)
            ],
            places,
        )

    def of_units(
        self,
        units: list[tuple[Map, Mask, int]],
        places: list[Mask | tuple[slice, slice]] | None = None,
    ) -> Scored:
        """Score (local) maps against (local) truths, all thresholds of each."""
        found = [
            self._sequence(values, g, None if places is None else places[k])
            for k, (values, g, _) in enumerate(units)
        ]
        return self._joined(found, [size for _, _, size in units])

    def _sequence(
        self, values: Map, g: Mask, place: Mask | tuple[slice, slice] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        if self.soft:
            value, counts = self._one(values, g)
            return value[:, None], None if counts is None else counts[None]
        cuts = extract.cuts(self.protocol.representation, values, self.values, self.setting[0])
        if place is not None and getattr(self.protocol.representation, "of", "") == "image":
            # The threshold is the image's: what is outside the target is in no partition.
            outside = np.ones(values.shape, bool)
            outside[place] = False
            cuts = cuts._replace(key=np.where(outside, values.dtype.type(-1), values))
        counted = self.mode in ("confusion", "curves", "alignment") and self.form == "region"
        if counted:
            rows = cuts.counts(g)
            return self._of_counts(rows), rows
        curve: list[NDArray[np.float64]] = []
        counts_of: list[NDArray[np.float64] | None] = []
        # The truth's form is the same at all thresholds.
        g_form = extract.form_of(g, self.form)
        for mask, again in cuts.masks():
            if not again:
                last = self._one(mask, g, g_form)
            curve.append(last[0])
            counts_of.append(last[1])
        counts = None if counts_of[0] is None else np.array(counts_of)
        return np.array(curve).T, counts

    def _one(
        self, p: Map | Mask, g: Mask, g_form: Mask | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Score one map: values of all series, and the counts that they were made from."""
        if g_form is None:
            g_form = extract.form_of(g, self.form)
        if self.mode == "effort":
            return self._value(p, g), None
        p_form = p if self.soft else extract.form_of(p, self.form)
        if self.mode == "multiscale":
            undefined = self.setting.strict and not g.any()
            return np.array([math.nan if undefined else score.coverage(p_form, g_form)]), None
        if self.mode == "surface":
            matching = self.protocol.matching
            return np.array(
                [score.of_points(self.name, p_form, g_form, matching, self.setting)]
            ), None
        if self.mode == "outline":
            value = score.of_outlines(self.name, p, g, p_form, g_form, self.setting)
            return np.array([value]), None
        if self.mode in ("confusion", "curves", "alignment"):
            if self.form == "skeleton":
                counts = score.skeleton_counts(p, g, p_form, g_form)
            else:
                counts = score.pixel_counts(p_form, g_form)
            return self._of_counts(counts[None])[:, 0], counts
        return self._value(p_form, g_form), None

    def _value(self, p: Map | Mask, g: Mask) -> NDArray[np.float64]:
        return np.array([score.of_maps(self.name, self.mode, p, g, self.setting)])

    def _of_counts(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        return of_counts(self.protocol, rows, self.setting)

    def _balanced(self, places: list[Mask | tuple[slice, slice]]) -> Scored:
        """Mean error of targets and background, this one weighted by its share (SI-MAE)."""
        representation = self.protocol.representation
        p = self.values
        if not self.soft:
            ((p, _),) = extract.cuts(representation, p, p, self.setting[0]).masks()
        wrong = np.abs(p.astype(np.float64) - self.g)
        outside = np.ones(self.g.shape, bool)
        for place in places:
            outside[place] = False
        rest = int(outside.sum())
        share = rest / (outside.size - rest)
        total = math.fsum(float(wrong[place].mean()) for place in places)
        total += share * float(wrong[outside].mean()) if rest else 0.0
        value = np.array([[[total / (len(places) + share)]]])
        return Scored(value, np.array([float(self.g.sum())]), None)

    def of_matches(self, option: Components) -> Scored:
        """Parse both sides, match their targets, and score each pair."""
        truth = extract.targets_of(self.g, option, truth=True)
        found = []
        for mask, again in self._masks(option):
            if not again:
                pred = extract.targets_of(mask, option, truth=False)
                if self.mode == "targets":
                    last = self._target_counts(truth, pred)
                else:
                    p = self.values if self.soft else mask
                    matches = match(self.protocol.matching, truth, pred)
                    last = self._pairs(p, truth, pred, matches)
            found.append(last)
        if len(found) == 1:
            return found[0]
        # Targets that are matched change with the threshold: the image has the one curve.
        values = [_mean_over_units(one) for one in found]
        counts = [one.counts.sum(axis=0)[0] for one in found if one.counts is not None]
        return Scored(
            np.stack(values, axis=2),
            np.array([float(self.g.sum())]),
            np.array(counts)[None] if counts else None,
            next((one.reason for one in found if one.reason), ""),
        )

    def _masks(self, option: Components) -> Iterator[tuple[Mask, bool]]:
        if self.soft:
            assert option.cut is not None  # such a path is not valid
            return iter([(self.values > self.values.dtype.type(option.cut), False)])
        return extract.cuts(
            self.protocol.representation, self.values, self.values, self.setting[0]
        ).masks()

    def _pairs(self, p: Map | Mask, truth: Regions, pred: Regions, matches: Matches) -> Scored:
        option = self.protocol.target
        assert isinstance(option, Components)
        boxes = option.encoding == "box"
        units = []
        for i, j in matches.pairs:
            a, b = truth.found[i], pred.found[j]
            if boxes:
                box = extract.joint_box(a.box, b.box)
                pair = extract.within(p, box), extract.within(self.g, box)
            else:
                pair = extract.within(p, pred.mask(b)), truth.mask(a)
            units.append((*pair, a.area))
        if getattr(self.protocol.matching, "unmatched", "drop") == "empty":
            units += [
                (np.zeros_like(p), *own) for own in _alone(self.g, truth, matches.missed, boxes)
            ]
            units += [
                (local, np.zeros_like(self.g), 0)
                for local, _ in _alone(p, pred, matches.false, boxes)
            ]
        if not units:
            return self._nothing(NO_PAIR)
        rows = [self._one(local_p, local_g) for local_p, local_g, _ in units]
        found = [
            (value[:, None], None if counts is None else counts[None]) for value, counts in rows
        ]
        return self._joined(found, [size for _, _, size in units])

    def _target_counts(self, truth: Regions, pred: Regions) -> Scored:
        rule = self.protocol.matching
        if self.protocol.report.summary == "survival":
            counts = survivors(rule, truth, pred)[None, None]
        else:
            counts = np.array([[tally(rule, truth, pred)]], np.float64)
        value = self._of_counts(counts[0])
        return Scored(value[:, None], np.array([float(self.g.sum())]), counts)

    def _joined(
        self,
        found: list[tuple[NDArray[np.float64], NDArray[np.float64] | None]],
        sizes: list[int],
    ) -> Scored:
        counts = [part for _, part in found if part is not None]
        return Scored(
            np.stack([values for values, _ in found], axis=1),
            np.array(sizes, np.float64),
            np.array(counts) if counts else None,
        )

    def _nothing(self, reason: str) -> Scored:
        series = 2 if self.mode == "curves" else 1
        option = self.protocol.representation
        on_truth = isinstance(self.protocol.target, Components) and self.protocol.target.on == "gt"
        # Matched targets come threshold by threshold.
        sweeps = isinstance(option, Dynamic) and on_truth
        steps = option.steps(self.setting.conventions.bins) if sweeps else 1  # type: ignore[union-attr]
        counts = np.zeros((0, steps, 4)) if self.protocol.score.counts else None
        return Scored(np.zeros((series, 0, steps)), np.zeros(0), counts, reason)


def _mean_over_units(one: Scored) -> NDArray[np.float64]:
    if one.sizes.size:
        return np.asarray(one.values.mean(axis=1))
    return np.full((one.values.shape[0], one.values.shape[2]), math.nan)


def _alone(
    values: Map | Mask, regions: Regions, places: tuple[int, ...], boxes: bool
) -> Iterator[tuple[Map | Mask, int]]:
    for place in places:
        region: Region = regions.found[place]
        where = region.box if boxes else regions.mask(region)
        yield extract.within(values, where), region.area


def of_counts(
    protocol: Protocol, rows: NDArray[np.float64], setting: Setting
) -> NDArray[np.float64]:
    """Return the values of all series and thresholds from their counts [T, K]: float64[S, T].

    Strict: an area has no curve where the truth lacks a class that the curve needs.
    """
    name, rule = protocol.score.name, setting.rule
    if protocol.report.summary == "survival":
        return rows[:, :-1] / (rows[0, -1] or math.nan)
    if protocol.score.mode == "targets":
        return np.array([[score.of_targets(name, row, rule) for row in rows]])
    skeleton = protocol.target.form == "skeleton"

    def each(one: str) -> list[float]:
        # Without a target at some threshold nothing is counted there.
        return [
            score.of_counts(one, row, rule, skeleton=skeleton)
            if row.any() or skeleton
            else math.nan
            for row in rows
        ]

    if protocol.score.mode != "curves":
        return np.array([each(name)])
    curves = np.array([each(axis) for axis in area.AXES[name]])
    if setting.strict:
        foreground, background = rows[0, 0] + rows[0, 2], rows[0, 1] + rows[0, 3]
        if not foreground or (name == "auc" and not background):
            curves[:] = math.nan
    return curves
