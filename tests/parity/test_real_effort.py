"""Human correction effort of real maps beside pysodmetrics.

FASTSEGMETRICS_DATA names a folder that holds ``hair``, ``sod`` and ``peer-samples``.
"""

import os
from pathlib import Path

import cv2
import py_sod_metrics as peer
import pytest
from test_correction_effort import native, parts_by_the_peer

DATA = Path(os.environ["FASTSEGMETRICS_DATA"])
PAIRS = [
    pytest.param(prediction, truth, id=f"{prediction.parent.name}-{prediction.stem}")
    for kind, truths in (("hair", "gts"), ("sod", "gts"), ("peer-samples/sod", "masks"))
    for prediction in sorted(DATA.glob(f"{kind}/preds*/*.png"))
    for truth in [DATA / kind / truths / prediction.name]
]


@pytest.mark.parametrize(("prediction", "truth"), PAIRS)
def test_real_maps(prediction, truth):
    pred, gt = (cv2.imread(str(path), cv2.IMREAD_GRAYSCALE) for path in (prediction, truth))
    if pred.shape != gt.shape:
        pred = cv2.resize(pred, gt.shape[::-1], interpolation=cv2.INTER_LINEAR)
    theirs = peer.HumanCorrectionEffortMeasure()
    theirs.step(pred, gt)
    found = native(pred, gt, theirs)
    assert found == parts_by_the_peer(pred, gt, theirs)
    assert found.total == theirs.hces[0]
