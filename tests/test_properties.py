"""Properties that hold for every input of the sweep family."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import fastsegmetrics as fsm
from fastsegmetrics.catalog import METRICS
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.plan import Plan
from fastsegmetrics.statistics.pair import LevelCounts
from tests.strategies import eight_bit_pairs, float_pairs

PLANS = {
    (policy, both_empty): Plan("sweep", Conventions(policy=policy, both_empty=both_empty))
    for policy, both_empty in (
        ("published", "perfect"),
        ("strict", "perfect"),
        ("strict", "undefined"),
    )
}
plans = st.sampled_from(list(PLANS.values()))


def close(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=2e-15)


@given(st.one_of(eight_bit_pairs(), float_pairs()), plans)
def test_backends_agree(pair, plan) -> None:
    compiled = plan.measure(*pair)
    reference = plan.measure(*pair, backend="reference")
    close(compiled.values, reference.values)
    np.testing.assert_array_equal(
        compiled.records[0].counts.levels, reference.records[0].counts.levels
    )
    np.testing.assert_array_equal(
        compiled.records[0].counts.sides, reference.records[0].counts.sides
    )


@given(eight_bit_pairs(), plans)
def test_transposed_and_flipped(pair, plan) -> None:
    pred, gt = pair
    here = plan.measure(pred, gt).values
    # The quadrants of the S-measure are not symmetric under flips (its centroid's rounding).
    transposed = plan.measure(pred.T, gt.T).values
    whole = [i for i, name in enumerate(plan.columns) if not name.startswith("s_")]
    close(here[whole], transposed[whole])
    close(here[whole], plan.measure(pred[::-1], gt[::-1]).values[whole])
    close(here[whole], plan.measure(pred[:, ::-1], gt[:, ::-1]).values[whole])
    np.testing.assert_allclose(here, transposed, rtol=1e-9, atol=1e-12)


@given(st.one_of(eight_bit_pairs(), float_pairs()), plans)
def test_inputs_are_left_alone(pair, plan) -> None:
    pred, gt = pair
    before = pred.tobytes(), gt.tobytes()
    plan.measure(pred, gt)
    assert (pred.tobytes(), gt.tobytes()) == before


@given(st.one_of(eight_bit_pairs(), float_pairs()), plans)
def test_ranges(pair, plan) -> None:
    evaluator = fsm.Evaluator("sweep", **plan.conventions.to_dict())
    evaluator.update(*pair)
    for name, row in evaluator.result().items():
        low, high = METRICS[name].range
        assert math.isnan(row.value) or low - 1e-12 <= row.value <= high + 1e-12, name


@given(eight_bit_pairs())
def test_counts_fall_with_the_threshold(pair) -> None:
    plan = PLANS["published", "perfect"]
    recall, fpr = (
        plan.measure(*pair).records[0].rows[row]
        for row in (3, 5)  # recall, fpr
    )
    assert (np.diff(recall) <= 0).all()
    assert (np.diff(fpr) <= 0).all()


@given(eight_bit_pairs())
def test_fused_and_alone_give_the_same_bits(pair) -> None:
    plan = PLANS["published", "perfect"]
    together = dict(zip(plan.columns, plan.measure(*pair).values.tolist()))
    for column in ("mae", "s_measure", "f_beta.max_of_image", "ap.step_of_image", "e_measure.adp"):
        metric = next(m for m in METRICS.values() if m.column == column)
        alone = Plan(metric.name).measure(*pair).values[0]
        assert alone == together[column] or (math.isnan(alone) and math.isnan(together[column]))


@given(st.lists(eight_bit_pairs(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_any_split_and_order_merges_to_the_same_bits(pairs, random) -> None:
    whole = fsm.Evaluator("sweep", policy="strict", both_empty="undefined")
    for i, pair in enumerate(pairs):
        whole.update(*pair, sample_id=f"{i}")
    parts = [fsm.Evaluator("sweep", policy="strict", both_empty="undefined") for _ in range(3)]
    order = list(range(len(pairs)))
    random.shuffle(order)
    for i in order:
        random.choice(parts).update(*pairs[i], sample_id=f"{i}")
    first, *others = random.sample(parts, 3)
    for other in others:
        first.merge(other)
    assert first.result().to_json() == whole.result().to_json()


@given(eight_bit_pairs(), plans)
def test_stored_measurements_keep_every_bit(pair, plan) -> None:
    measured = plan.measure(*pair)
    restored = plan.measurement_from_bytes(measured.to_bytes())
    assert restored.values.tobytes() == measured.values.tobytes()
    np.testing.assert_array_equal(
        restored.records[0].counts.levels, measured.records[0].counts.levels
    )
    assert plan.families[0].curves(restored.records[0].counts).tobytes() == (
        measured.records[0].rows.tobytes()
    )


@given(eight_bit_pairs())
def test_swapping_prediction_and_truth_exchanges_precision_and_recall(pair) -> None:
    a, b = pair[0] > 100, pair[1]
    assert fsm.precision(a, b).bin == fsm.recall(b, a).bin
    assert fsm.f1(a, b).bin == pytest.approx(fsm.f1(b, a).bin, rel=1e-12)


def test_exact_sums_do_not_depend_on_the_tree() -> None:
    rng = np.random.default_rng(0)
    samples = [(rng.integers(0, 256, (6, 7), dtype=np.uint8), rng.random((6, 7)) > 0.5)
               for _ in range(12)]  # fmt: skip
    texts = set()
    for sizes in ((12,), (1, 11), (3, 4, 5), (1,) * 12):
        shards = []
        numbered = iter(enumerate(samples))
        for size in sizes:
            shard = fsm.Evaluator("sweep")
            for i, pair in itertools.islice(numbered, size):
                shard.update(*pair, sample_id=f"image {i:02d}")
            shards.append(shard)
        while len(shards) > 1:
            shards[-2].merge(shards.pop())
        texts.add(shards[0].result().to_json())
    assert len(texts) == 1


@pytest.mark.parametrize("count", [2**40, 3 * 2**30])
def test_counts_beyond_32_bits_are_stored(count) -> None:
    counts = LevelCounts.none()
    counts.levels[1, [7, 9]] = count
    counts.levels[0, 255] = 3
    counts.sides[0, 0] = 2 * count
    restored = LevelCounts.from_bytes(counts.to_bytes())
    np.testing.assert_array_equal(restored.levels, counts.levels)
    np.testing.assert_array_equal(restored.sides, counts.sides)
    assert (restored.n_pixels, restored.n_foreground) == (2 * count + 3, 2 * count)


@pytest.mark.parametrize("data", [b"", b"\x04", b"\x04\x00\x01", b"\x05" * 40])
def test_foreign_bytes_are_refused(data) -> None:
    with pytest.raises(fsm.InputError, match="to_bytes"):
        LevelCounts.from_bytes(data)
