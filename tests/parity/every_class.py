"""Score the predictions of a folder by every class; print a name and a number a line."""

import sys
from pathlib import Path

import cv2
import numpy as np
import py_sod_metrics

images, masks, preds = map(Path, sys.argv[1:])
REPORTS = {"with_dynamic": True, "with_adaptive": True, "with_binary": True}
HANDLERS = {
    "fm": ("FmeasureHandler", {"beta": 0.3}),
    "f1": ("FmeasureHandler", {"beta": 1}),
    "pre": ("PrecisionHandler", {}),
    "rec": ("RecallHandler", {}),
    "sen": ("SensitivityHandler", {}),
    "tpr": ("TPRHandler", {}),
    "fpr": ("FPRHandler", {}),
    "tnr": ("TNRHandler", {}),
    "spec": ("SpecificityHandler", {}),
    "iou": ("IOUHandler", {}),
    "dice": ("DICEHandler", {}),
    "ber": ("BERHandler", {}),
    "oa": ("OverallAccuracyHandler", {}),
    "kappa": ("KappaHandler", {}),
}


def handlers(**options):
    return {
        name: getattr(py_sod_metrics, cls)(**options, **more)
        for name, (cls, more) in HANDLERS.items()
    }


by_sample = {**REPORTS, "sample_based": True}
over_all = {"with_dynamic": False, "with_adaptive": False, "with_binary": True}
overall_reports = {"with_dynamic": True, "with_adaptive": False, "with_binary": True}
metrics = {
    "mae": py_sod_metrics.MAE(),
    "s": py_sod_metrics.Smeasure(),
    "e": py_sod_metrics.Emeasure(),
    "f": py_sod_metrics.Fmeasure(),
    "wf": py_sod_metrics.WeightedFmeasure(),
    "hce": py_sod_metrics.HumanCorrectionEffortMeasure(),
    "msiou": py_sod_metrics.MSIoU(**REPORTS),
    "cm": py_sod_metrics.ContextMeasure(),
    "v2": py_sod_metrics.FmeasureV2(metric_handlers=handlers(**by_sample)),
    "overall": py_sod_metrics.FmeasureV2(handlers(**over_all, sample_based=False)),
    "si_mae": py_sod_metrics.SizeInvarianceMAE(),
    "si": py_sod_metrics.SizeInvarianceFmeasureV2(handlers(**by_sample)),
    "si_overall": py_sod_metrics.SizeInvarianceFmeasureV2(
        handlers(**overall_reports, sample_based=False)
    ),
}
ccm = py_sod_metrics.CamouflageContextMeasure()

for path in sorted(masks.iterdir()):
    mask = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    pred = cv2.imread(str(preds / path.name), cv2.IMREAD_GRAYSCALE)
    image = cv2.cvtColor(cv2.imread(str(images / path.name)), cv2.COLOR_BGR2RGB)
    for metric in metrics.values():
        metric.step(pred=pred, gt=mask)
    ccm.step(pred=pred, gt=mask, img=image)


def show(name, value):
    print(name, repr(float(value)))


found = {name: metric.get_results() for name, metric in metrics.items()}
show("MAE", found["mae"]["mae"])
show("Smeasure", found["s"]["sm"])
show("wFmeasure", found["wf"]["wfm"])
show("HCE", found["hce"]["hce"])
show("si_mae", found["si_mae"]["si_mae"])
show("cm", found["cm"]["cm"])
show("ccm", ccm.get_results()["ccm"])
for name, reports in (("Em", found["e"]["em"]), ("Fm", found["f"]["fm"])):
    show("adp" + name, reports["adp"])
    show("mean" + name, reports["curve"].mean())
    show("max" + name, reports["curve"].max())
pr = found["f"]["pr"]
show("meanp", np.mean(pr["p"]))
show("meanr", np.mean(pr["r"]))
for name, reports in {**found["v2"], "msiou": found["msiou"]}.items():
    show("adp" + name, reports["adaptive"])
    show("mean" + name, np.mean(reports["dynamic"]))
    show("max" + name, np.max(reports["dynamic"]))
    show("sample_bi" + name, reports["binary"])
for name, reports in found["overall"].items():
    show("overall_bi" + name, reports["binary"])
for name, reports in found["si"].items():
    curves = reports["dynamic"]
    show("si_sample_adp" + name, reports["adaptive"])
    show("si_sample_mean" + name, np.mean([each.mean(axis=-1).mean() for each in curves]))
    show("si_sample_max" + name, np.mean([each.max(axis=-1).mean() for each in curves]))
    show("si_sample_bi" + name, reports["binary"])
for name, reports in found["si_overall"].items():
    show("si_overall_mean" + name, np.mean(reports["dynamic"]))
    show("si_overall_max" + name, np.max(reports["dynamic"]))
    show("si_overall_bi" + name, reports["binary"])
