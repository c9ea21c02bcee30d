"""Values known from the literature's conventions, worked out by hand or published."""

from __future__ import annotations

import numpy as np
import pytest

import fastsegmetrics as fsm

pytestmark = pytest.mark.parametrize("backend", ["compiled", "reference"])


def corner_square() -> tuple[np.ndarray, np.ndarray]:
    gt = np.zeros((4, 4), bool)
    gt[1:3, 1:3] = True
    pred = np.zeros((4, 4), np.uint8)
    pred[1:3, 1:3] = 229
    pred[3, 1:3] = 25
    return pred, gt


def test_structure_measure(backend) -> None:
    pred, gt = corner_square()
    floats = np.select([pred == 229, pred == 25], [0.9, 0.1])
    assert fsm.s_measure(pred, gt, backend=backend) == pytest.approx(0.898246, abs=5e-7)
    assert fsm.s_measure(floats, gt, backend=backend) == pytest.approx(0.898103, abs=5e-7)
    plain = fsm.s_measure(floats, gt, backend=backend, stretch=False)
    assert plain == pytest.approx(0.895131, abs=5e-7)


def test_mean_f_of_a_perfect_pair(backend) -> None:
    pair = np.array([[255, 0]], np.uint8)
    assert fsm.f_beta(pair, pair, backend=backend).mean == pytest.approx(0.99830, abs=5e-6)


def test_max_of_the_mean_curve_is_not_the_mean_of_maxima(backend) -> None:
    gt = np.array([[True, False, False, False]])
    evaluator = fsm.Evaluator("f_beta", stretch=False, backend=backend)
    evaluator.update(np.array([[200, 100, 0, 0]], np.uint8), gt)
    evaluator.update(np.array([[60, 30, 0, 0]], np.uint8), gt)
    result = evaluator.result()
    assert result["f_beta.max"].value == pytest.approx(0.7826, abs=5e-5)
    assert result["f_beta.mean_of_max"].value == 1.0


def test_e_measure_of_a_perfect_map_exceeds_one(backend) -> None:
    gt = np.zeros((4, 4), bool)
    gt[:2] = True
    perfect = fsm.e_measure(gt, gt, backend=backend)
    assert perfect.curve[0] == pytest.approx(0.2667, abs=5e-5)
    np.testing.assert_allclose(perfect.curve[1:], 16 / 15, rtol=1e-12)
    by_definition = fsm.e_measure(gt, gt, backend=backend, e_denominator="N")
    np.testing.assert_allclose(by_definition.curve[1:], 1.0, rtol=1e-12)


@pytest.mark.parametrize("at", [(0, 0), (3, 8), (3, 0), (0, 8)])
def test_perfect_corner_pixel_has_structure_one(backend, at) -> None:
    gt = np.zeros((4, 9), bool)
    gt[at] = True
    # A block with one pixel set has so little variance that the definition's eps shows.
    assert fsm.s_measure(gt, gt, backend=backend) == pytest.approx(1.0, abs=1e-11)


def test_perfect_line_has_structure_one(backend) -> None:
    gt = np.array([[False, True, True, True, False, False, False, True]])
    assert fsm.s_measure(gt, gt, backend=backend) == pytest.approx(1.0, abs=1e-12)


def test_hidden_stretch(backend) -> None:
    gt = np.array([[True, False, False, False]])
    pred = np.array([[10, 0, 0, 0]], np.uint8)
    assert fsm.mae(pred, gt, backend=backend) == 0.0
    plain = fsm.mae(pred, gt, backend=backend, stretch=False)
    assert plain == pytest.approx((1 - 10 / 255) / 4, rel=1e-13)
    assert plain == pytest.approx(0.2402, abs=5e-5)
    faint = np.array([[3, 0, 0, 0]], np.uint8)
    assert fsm.f_beta(faint, gt, backend=backend).bin == 1.0
    assert fsm.f_beta(faint, gt, backend=backend, stretch=False).bin == 0.0


def test_constant_map_is_not_stretched(backend) -> None:
    pred = np.full((3, 5), 128, np.uint8)
    gt = np.zeros((3, 5), bool)
    assert fsm.mae(pred, gt, backend=backend) == pytest.approx(128 / 255, rel=1e-13)


def test_adaptive_threshold_tie_follows_the_rounding_of_the_mean(backend) -> None:
    pred = np.zeros((8, 9), np.uint8)
    pred.flat[0] = 255
    pred.flat[1:22] = 17
    gt = np.zeros((8, 9), bool)
    gt.flat[:22] = True
    # 2·mean is 17/255 exactly; np.mean comes out a rounding above, so that one pixel is kept.
    values = pred / 255.0
    kept = np.count_nonzero(values >= min(2 * values.mean(), 1))
    assert kept == 1
    assert fsm.recall(pred, gt, backend=backend).adp == pytest.approx(1 / 22, rel=1e-13)


def test_constant_block_scores_one(backend) -> None:
    pred = np.full((7, 7), 128, np.uint8)
    gt = np.zeros((7, 7), bool)
    gt[0, 0] = True
    assert fsm.s_measure(pred, gt, backend=backend) == pytest.approx(0.89909, abs=5e-6)


def test_pooled_and_per_image_dice(backend) -> None:
    hit = np.array([[True, False, False, False, False]])
    evaluator = fsm.Evaluator("dice", stretch=False, backend=backend)
    evaluator.update(hit, hit)
    evaluator.update(~hit, np.zeros((1, 5), bool))
    result = evaluator.result()
    assert result["dice.bin"].value == 0.5
    assert result["dice.pooled_bin"].value == pytest.approx(1 / 3, rel=1e-13)


def test_kappa_in_its_two_forms(backend) -> None:
    # tp 5, fp 4, tn 20, fn 6.
    pred = np.repeat([True, True, False, False], [5, 4, 20, 6])[None]
    gt = np.repeat([True, False, False, True], [5, 4, 20, 6])[None]
    published = fsm.kappa(pred, gt, backend=backend).bin
    assert published == pytest.approx(0.264705882, abs=5e-10)
    agreement, chance = 25 / 35, (9 * 11 + 26 * 24) / 35**2
    cohen = fsm.cohen_kappa(pred, gt, backend=backend).bin
    assert cohen == pytest.approx((agreement - chance) / (1 - chance), rel=1e-12)


def test_areas_in_their_named_conventions(backend) -> None:
    pred = np.array([[0, 102, 51, 255]], np.uint8)
    gt = np.array([[False, False, True, True]])
    # Descending thresholds keep {255}, {255, 102}, {.., 51}, all: (R, P) = (.5, 1), (.5, .5),
    # (1, 2/3), (1, .5); (FPR, TPR) = (0, .5), (.5, .5), (.5, 1), (1, 1).
    step = 0.5 * 1 + 0.5 * 2 / 3
    assert fsm.ap(pred, gt, rule="step", backend=backend) == pytest.approx(step, rel=1e-12)
    # From the group at R = .5, left at its highest threshold (P = 1), to the one at R = 1,
    # entered at its lowest (P = .5).
    trapezoid = 0.5 * (1 + 0.5) / 2
    assert fsm.ap(pred, gt, backend=backend) == pytest.approx(trapezoid, rel=1e-12)
    assert fsm.auc(pred, gt, rule="anchored", backend=backend) == pytest.approx(0.75, rel=1e-12)
    # FPR 0 → .5 leaves at TPR .5 and enters at 1; .5 → 1 leaves at .5 and enters at 1.
    assert fsm.auc(pred, gt, backend=backend) == pytest.approx(0.75, rel=1e-12)
