"""The option set of stage 4: the names of what can be computed, and their modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from fastsegmetrics.errors import InputError
from fastsegmetrics.protocol.option import Option, unknown


class Mode(NamedTuple):
    """A way of scoring of the design paper, with its identifier and its scores."""

    identifier: str
    words: str
    scores: tuple[str, ...]


MODES: dict[str, Mode] = {
    "error": Mode("S4-1", "pixel error", ("mae",)),
    "confusion": Mode(
        "S4-2", "confusion matrix",
        ("f_beta", "f1", "precision", "recall", "specificity", "fpr", "iou", "dice", "ber",
         "kappa", "cohen_kappa", "accuracy"),
    ),
    "curves": Mode("S4-2", "confusion matrix", ("ap", "auc")),
    "weighted": Mode(
        "S4-3", "importance weighting", ("weighted_f", "weighted_precision", "weighted_recall")
    ),
    "structure": Mode("S4-4", "structural similarity", ("s_measure", "s_object", "s_region")),
    "alignment": Mode("S4-5", "enhanced alignment", ("e_measure",)),
    "multiscale": Mode("S4-6", "multi-scale", ("ms_iou",)),
    "effort": Mode(
        "S4-7", "correction effort",
        ("hce", "hce_fp_points", "hce_fp_regions", "hce_fn_points", "hce_fn_regions"),
    ),
    "context": Mode("S4-8", "contextual relevance", ("c_beta", "c_beta_w")),
    "difficulty": Mode(
        "S4-8", "contextual relevance",
        ("difficulty", "difficulty_region", "difficulty_structure", "difficulty_boundary"),
    ),
    "targets": Mode(
        "S4-2", "target counts",
        ("target_precision", "target_recall", "target_f1", "hiou", "hiou_seg", "hiou_loc",
         "false_alarm", "hiou_seg_merge", "hiou_seg_interference", "hiou_seg_perception",
         "hiou_loc_many_to_one", "hiou_loc_one_to_many", "hiou_loc_interference",
         "hiou_loc_perception"),
    ),
    "surface": Mode(
        "S4-9", "distances of points",
        ("hd", "hd95", "hd95_pooled", "hd95_mean", "hd95_inverse_cdf", "assd", "masd", "nsd",
         "boundary_f"),
    ),
    "outline": Mode("S4-10", "shared outlines", ("boundary_iou", "cl_dice")),
}  # fmt: skip

MODE_OF = {score: name for name, mode in MODES.items() for score in mode.scores}
#: Scores that look at the photograph.
OF_PHOTOGRAPHS = frozenset({"c_beta_w", *MODES["difficulty"].scores})
#: Target scores that ask which targets have a candidate, by both rules of OPDC.
OF_CANDIDATES = tuple(
    f"hiou_loc_{name}" for name in ("many_to_one", "one_to_many", "interference", "perception")
)
#: Scores of points that are shares of them, of which higher values are better.
OF_FOUND_POINTS = ("nsd", "boundary_f")
#: What a score of targets is called.
TARGET_TITLES = {
    "target_precision": "share of the predicted targets that are matched",
    "target_recall": "share of the targets that are matched (Pd)",
    "target_f1": "F₁ over targets",
    "hiou": "hiou_seg · hiou_loc",
    "hiou_seg": "mean IoU of the matched pairs",
    "hiou_loc": "matched over all targets of both sides",
    "false_alarm": "pixels of unmatched predicted targets over all pixels (Fa)",
    "hiou_seg_merge": "predicted pixels on other targets over the union, mean over pairs",
    "hiou_seg_interference": "predicted pixels on no target over the union, mean over pairs",
    "hiou_seg_perception": "target pixels not predicted over the union, mean over pairs",
    "hiou_loc_many_to_one": "unmatched predictions with a candidate over all targets",
    "hiou_loc_one_to_many": "unmatched truths with a candidate over all targets",
    "hiou_loc_interference": "predictions without a candidate over all targets",
    "hiou_loc_perception": "truths without a candidate over all targets",
}
#: Scores of which lower values are better.
LOWER = frozenset(
    {
        "mae", "fpr", "ber", "false_alarm", *MODES["effort"].scores, *OF_CANDIDATES,
        *(name for name in MODES["surface"].scores if name not in OF_FOUND_POINTS),
        *(name for name in TARGET_TITLES if name.startswith("hiou_seg_")),
    }
)  # fmt: skip


@dataclass(frozen=True)
class Score(Option):
    """Stage 4: a score by its name; its constants (β², α, …) are the conventions'."""

    name: str = "mae"

    def __post_init__(self) -> None:
        if self.name not in MODE_OF:
            raise InputError(
                f"score must be one of {', '.join(MODE_OF)}; {unknown(str(self.name), MODE_OF)}"
            )

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The score's name, which is how it is written."""
        return self.name

    def __str__(self) -> str:
        return self.name

    def to_dict(self) -> dict[str, str]:
        """Return the name as plain data."""
        return {"kind": self.name}

    @property
    def mode(self) -> str:
        """Which of `MODES` it is."""
        return MODE_OF[self.name]

    @property
    def identifier(self) -> str:
        """Place in the paper's numbering."""
        return MODES[self.mode].identifier

    @property
    def words(self) -> str:
        """The mode and the score in words."""
        return f"{MODES[self.mode].words}: {TARGET_TITLES.get(self.name, self.name)}"

    @property
    def counts(self) -> bool:
        """Whether it follows from counts that add up over a data set."""
        return self.mode in ("confusion", "curves", "targets")
