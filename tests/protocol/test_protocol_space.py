"""The space of protocols: every valid combination runs, and says why where it has no number."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import represent
from fastsegmetrics.conventions import Conventions
from fastsegmetrics.protocol import measure, report
from fastsegmetrics.protocol.score_options import MODE_OF
from fastsegmetrics.protocol.value import Protocol
from fastsegmetrics.target import Target
from tests.conftest import JIT_IS_OFF

REPRESENTATIONS = ("soft", "fixed", "fixed(t=0.25, keep=>=)", "adaptive",
                   "adaptive(factor=1.5, cap=0.9)", "dynamic(over=bins, n=3)")  # fmt: skip
TARGETS = (
    "region", "edge", "boundary", "skeleton", "band",
    "components", "components(encoding=mask)", "components(form=edge, connectivity=4)",
    "components(form=skeleton, min_area=3, small=largest)", "components(form=boundary)",
    "components(on=both)", "components(on=both, cut=0.5)", "components(on=both, encoding=mask)",
    "components(on=both, form=skeleton)", "components(on=both, form=boundary, cut=0.5)",
)  # fmt: skip
MATCHINGS = ("pixelwise", "nearest", "nearest(within=1.5)", "overlap(iou=0.3)", "hungarian",
             "hungarian(cost=overlap)", "hungarian(cost=dice, limit=0.7, limited=before)",
             "opdc(unmatched=empty)", "opdc", "greedy(limit=6)", "shooting")  # fmt: skip
SCORES = ("mae", "f_beta", "recall", "iou", "kappa", "auc", "weighted_f", "s_measure", "e_measure",
          "ms_iou", "hce", "c_beta", "c_beta_w", "difficulty", "hiou", "false_alarm",
          "hiou_seg_merge", "hiou_loc_one_to_many", "hd", "hd95_pooled", "nsd", "boundary_f",
          "boundary_iou", "cl_dice")  # fmt: skip
REPORTS = ("raw", "mean", "max(of=dataset)", "auc", "raw(average=targets, by=size, limits=6:20)",
           "raw(average=pooled)", "raw(quantiles=0.25:0.75)")  # fmt: skip


@functools.cache
def valid_paths() -> tuple[Protocol, ...]:
    found = []
    for stages in itertools.product(REPRESENTATIONS, TARGETS, MATCHINGS, SCORES, REPORTS):
        in_place = stages[2].startswith(("pixelwise", "nearest"))
        if ("on=both" in stages[1]) == in_place:
            continue  # said by test_protocol_value; here it would be half of the time
        try:
            found.append(Protocol.parse(" / ".join(stages)))
        except fsm.InputError:
            continue
    return tuple(found)


def zoo() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    shape = (17, 23)
    gt = np.zeros(shape, bool)
    gt[2:7, 3:8] = gt[10, 2:20] = gt[13:16, 14:16] = gt[0, 22] = True
    rng = np.random.default_rng(3)
    pred = np.roll(gt, 1, 1) * 0.6 + rng.integers(0, 9, shape) / 20
    pred[5:9, 12:15] = 0.9
    pred[13:16, 12:19] = 0
    return {
        "scene": (pred, gt),
        "transposed": (np.asfortranarray(pred.T), gt.T),
        "no target": (pred, gt & False),
        "no prediction": (pred * 0, gt),
        "neither": (pred[:5, :6] * 0, gt[:5, :6] & False),
        "all": (pred[:, ::-1], gt | True),
        "one pixel": (np.array([[0.7]]), np.array([[True]])),
    }


ZOO = zoo()


def told(protocol: Protocol, kinds, conventions: Conventions) -> dict[str, report.Told]:
    samples = []
    for kind in kinds:
        pred, gt = ZOO[kind]
        rows, columns = np.indices(gt.shape)
        image = np.dstack([rows * 9, columns * 7, rows * 3 + columns * 5]).astype(np.uint8)
        target = Target(gt, image=image)
        canonical = represent.prediction(pred, conventions, gt.shape)
        samples.append(measure.scored(protocol, canonical, target, conventions))
    return report.of_samples(protocol, samples, conventions)


def test_the_space_is_large() -> None:
    paths = valid_paths()
    assert len({path.hash for path in paths}) == len(paths) >= 1500
    assert {path.score.mode for path in paths} == {MODE_OF[score] for score in SCORES}


@pytest.mark.parametrize("policy", ["published", "strict"])
@pytest.mark.parametrize("offset", range(4))
def test_every_path_runs(policy, offset) -> None:
    """Each policy on a quarter of the space, in parts so that a failure is found soon."""
    conventions = Conventions(policy=policy, stretch=False)
    step = 160 if JIT_IS_OFF else 16
    ran = 0
    for protocol in valid_paths()[4 * offset + 2 * (policy == "strict") :: step]:
        for kinds in (["scene"], ["no target"], list(ZOO)):
            for name, one in told(protocol, kinds, conventions).items():
                where = f"{protocol} of {kinds}, {name!r}"
                finite = np.isfinite(one.value).all()
                # Of a pooled curve of targets single thresholds may be undefined.
                some = np.isfinite(one.value).any()
                assert finite or some or one.reason, where
                assert (one.n_used > 0) == some, where
        again = Protocol.parse(str(protocol))
        assert again.hash == protocol.hash
        first, second = (told(p, ["scene"], conventions)[""] for p in (protocol, again))
        np.testing.assert_array_equal(first.value, second.value)
        ran += 1
    assert ran >= (6 if JIT_IS_OFF else 65)


@pytest.mark.parametrize(
    "text",
    [
        "soft / components(on=both, cut=0.5) / hungarian / s_measure / raw",
        "fixed / components(form=skeleton) / pixelwise / recall / raw(average=targets)",
        "fixed / components(form=skeleton) / pixelwise / hce / raw(average=targets)",
        "adaptive / components / pixelwise / e_measure / raw(by=size, limits=6:20)",
        "dynamic(over=bins, n=5) / components(on=both) / opdc / hiou / max(average=pooled)",
    ],
)
def test_paths_that_nobody_takes_have_a_number(text) -> None:
    protocol = Protocol.parse(text)
    told_of_all = told(protocol, ["scene", "transposed", "no prediction"], Conventions())
    assert np.isfinite(told_of_all[""].value)


def test_a_transposed_scene_has_the_same_numbers() -> None:
    """Of what does not hang on the order of rows and columns."""
    conventions = Conventions()
    for protocol in valid_paths()[:: 197 if JIT_IS_OFF else 23]:
        if protocol.score.mode in ("weighted", "effort", "multiscale", "structure"):
            continue
        if protocol.score.name == "c_beta_w" or protocol.score.mode == "difficulty":
            continue
        if protocol.target.form == "skeleton" or protocol.matching.kind == "greedy":
            continue
        one, other = (told(protocol, [kind], conventions)[""] for kind in ("scene", "transposed"))
        np.testing.assert_allclose(
            one.value, other.value, rtol=1e-9, equal_nan=True, err_msg=str(protocol)
        )
