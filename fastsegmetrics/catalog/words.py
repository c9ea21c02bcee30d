"""What papers call a metric, and the names here that are meant: for hints, not for requests."""

from __future__ import annotations

_REPORTS = {"max": "max", "maximal": "max", "mean": "mean", "avg": "mean", "average": "mean",
           "adp": "adp", "adaptive": "adp", "ad": "adp"}  # fmt: skip

#: By the words without capitals, blanks and signs.  β² of an F-measure is the literature's 0.3.
_MEANT: dict[str, tuple[str, ...]] = {
    "meanabsoluteerror": ("mae",),
    "m": ("mae",),
    **dict.fromkeys(("sm", "smeasure", "salpha", "structuremeasure"), ("s_measure",)),
    **dict.fromkeys(
        ("em", "emeasure", "ephi", "exi", "enhancedalignmentmeasure"),
        ("e_measure.max", "e_measure.mean", "e_measure.adp"),
    ),
    **dict.fromkeys(
        ("f", "fm", "fmeasure", "fbeta", "fbetameasure", "fscore"),
        ("f_beta.max", "f_beta.mean", "f_beta.adp"),
    ),
    **dict.fromkeys(("f1score", "f1measure"), ("f1",)),
    **dict.fromkeys(
        ("wf", "fw", "wfm", "wfmeasure", "wfbeta", "fbetaw", "fwbeta", "weightedf",
         "weightedfm", "weightedfmeasure", "weightedfbeta"),
        ("weighted_f",),
    ),
    **dict.fromkeys(("jaccard", "jaccardindex", "intersectionoverunion"), ("iou",)),
    **dict.fromkeys(("miou", "meaniou"), ("iou.bin", "iou.mean")),
    **dict.fromkeys(("dsc", "dicescore", "dicecoefficient", "mdice", "meandice"), ("dice",)),
    **dict.fromkeys(("averageprecision", "averageprecisionscore"), ("ap",)),
    **dict.fromkeys(("auroc", "rocauc", "areaundercurve"), ("auc",)),
    **dict.fromkeys(("pod", "probabilityofdetection", "detectionrate"), ("pd.pooled_bin",)),
    **dict.fromkeys(("far", "falsealarm", "falsealarmrate"), ("fa.pooled_bin",)),
    "balancederrorrate": ("ber",),
    **dict.fromkeys(("acc", "overallaccuracy", "pixelaccuracy"), ("accuracy",)),
    **dict.fromkeys(("sen", "sens", "truepositiverate"), ("recall",)),
    **dict.fromkeys(("spec", "truenegativerate"), ("specificity",)),
    **dict.fromkeys(("fallout", "falsepositiverate"), ("fpr",)),
    **dict.fromkeys(("humancorrectioneffort", "humancorrectionefforts"), ("hce",)),
    **dict.fromkeys(("hausdorff", "hausdorffdistance"), ("hd",)),
    **dict.fromkeys(("95hd", "hausdorff95", "95hausdorff", "hausdorffdistance95"), ("hd95",)),
    **dict.fromkeys(("asd", "averagesurfacedistance", "averagesymmetricsurfacedistance"),
                    ("assd",)),
    **dict.fromkeys(("surfacedsc", "normalizedsurfacedice", "normalizedsurfacedistance"), ("nsd",)),
    "biou": ("boundary_iou",),
    **dict.fromkeys(("bf", "bfscore", "boundaryf1", "boundaryfscore"), ("boundary_f",)),
    "centerlinedice": ("cl_dice",),
}  # fmt: skip
#: Scores whose report a word before or after them says: maxF, F-max, meanE, adpE.
_REPORTED = {
    **dict.fromkeys(("f", "fm", "fmeasure", "fbeta", "fscore"), "f_beta"),
    **dict.fromkeys(("e", "em", "emeasure", "ephi"), "e_measure"),
    **{name: name for name in ("f1", "iou", "dice", "precision", "recall")},
}


def meant(name: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return the names here that a word of the field stands for; none where it is no such word.

    Parameters
    ----------
    name : str
        In any case, with blanks and signs or without.
    known : frozenset of str
        All names that can be asked for.

    Examples
    --------
    >>> meant("max F", frozenset()), meant("S-measure", frozenset()), meant("mine", frozenset())
    (('f_beta.max',), ('s_measure',), ())
    """
    word = _bare(name)
    own = sorted(one for one in known if _bare(one) == word)
    if own:
        return (own[0],)
    if word in _MEANT:
        return _MEANT[word]
    for said, report in _REPORTS.items():
        for rest in (word.removeprefix(said), word.removesuffix(said)):
            if rest != word and rest in _REPORTED:
                return (f"{_REPORTED[rest]}.{report}",)
    return ()


def _bare(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())
