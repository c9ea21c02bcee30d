"""Folder runs with metrics that look at the photographs."""

from __future__ import annotations

import os

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics.bulk.run import MissingPhotographsError
from fastsegmetrics.errors import FormatError, InputError
from tests.bulk.benchmark import METHODS, evaluate, maps_of, outputs


def test_photographs_reach_the_metrics_once_each(photographs, monkeypatch):
    from fastsegmetrics import io

    reads = []
    read = io.read_image
    monkeypatch.setattr(io, "read_image", lambda path: reads.append(path.name) or read(path))
    run = evaluate(photographs, metrics="c_beta_w,mae", image=photographs / "rgb", workers=2)
    assert sorted(reads) == [f"s{i:02d}.npy" for i in range(12)]
    for method in METHODS:
        evaluator = fsm.Evaluator("c_beta_w,mae")
        for i in range(12):
            truth, maps = maps_of(i, (6 + i % 3, 9 - i % 2))
            image = np.load(photographs / "rgb" / f"s{i:02d}.npy")
            pred = maps[method].astype(np.uint8)
            evaluator.update(pred, truth, image=image, sample_id=f"s{i:02d}")
        np.testing.assert_equal(
            run[method].per_image["c_beta_w"], evaluator.result().per_image["c_beta_w"]
        )
        assert np.isfinite(run[method]["c_beta_w"].value)


def test_photographs_are_not_opened_where_no_metric_looks_at_them(folders):
    assert evaluate(folders, metrics="mae", image=folders / "none").complete


def test_without_photographs(photographs):
    with pytest.raises(InputError, match=r"c_beta_w looks at the photographs: .*, image='DIR'"):
        evaluate(photographs, metrics="mae,c_beta_w")
    (photographs / "rgb" / "s03.npy").unlink()
    (photographs / "rgb" / "s05.npy").unlink()
    for missing in ("error", "skip", "zero"):
        with pytest.raises(MissingPhotographsError) as caught:
            evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb", missing=missing,
                      out=photographs / "run")  # fmt: skip
        assert caught.value.missing == ["s03", "s05"]
        assert str(caught.value) == (
            f"{photographs / 'rgb'}: 2 photographs are missing (s03 and 1 more)"
        )
    assert not (photographs / "run").exists()


def test_names_of_photographs(photographs):
    for path in (photographs / "rgb").iterdir():
        path.rename(path.with_name(f"p_{path.stem}_rgb.npy"))
    with pytest.raises(MissingPhotographsError, match=r"s00 and 11 more\); did you mean image_pre"):
        evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb")
    run = evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb",
                    image_prefix="p_", image_suffix="_rgb")  # fmt: skip
    assert run.complete


def test_a_photograph_of_another_size_or_kind_is_named(photographs):
    path = photographs / "rgb" / "s03.npy"
    np.save(path, np.zeros((4, 4, 3), np.uint8))
    with pytest.raises(InputError) as caught:
        evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb")
    assert str(caught.value) == (
        f"{path}: 4×4 (height×width) where the ground truth {photographs / 'gt' / 's03.png'} is 6×8"
    )
    np.save(path, np.zeros((6, 8, 3), np.uint16))
    with pytest.raises(FormatError, match=r"rgb/s03\.npy: a photograph must have 8-bit samples"):
        evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb")
    run = evaluate(photographs, metrics="c_beta_w", image=photographs / "rgb", on_error="skip")
    assert [(one.sample, one.method) for one in run.skipped] == [("s03", "one"), ("s03", "two")]


def test_a_changed_photograph_is_refused(photographs):
    choices = {"metrics": "c_beta_w", "image": photographs / "rgb", "out": photographs / "run"}
    evaluate(photographs, **choices)
    before = outputs(photographs / "run")
    evaluate(photographs, **choices)
    assert outputs(photographs / "run") == before
    path = photographs / "rgb" / "s07.npy"
    os.utime(path, (1, 1))
    with pytest.raises(InputError) as caught:
        evaluate(photographs, **choices)
    assert f"run: the photograph {path} has changed since it was measured" in str(caught.value)
    path.unlink()
    with pytest.raises(MissingPhotographsError):
        evaluate(photographs, **choices)
