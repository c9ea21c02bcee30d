"""What an unknown metric is answered: the name here that a word of the field stands for."""

from __future__ import annotations

import pytest

from fastsegmetrics.catalog import resolve, words
from fastsegmetrics.errors import InputError

ANSWERS = {
    "f_beta.max": ["maxF", "max_f", "F-max", "max F", "Max Fm", "maxFm", "F_beta.Max"],
    "f_beta.mean": ["meanF", "avg F", "mean_fm"],
    "f_beta.adp": ["adpF", "adaptive F-measure"],
    "f_beta.max or f_beta.mean or f_beta.adp": ["Fm", "fmeasure", "F-measure", "F_m"],
    "e_measure.max": ["maxE", "max Em", "E-max"],
    "e_measure.mean": ["meanE", "meanEm"],
    "e_measure.adp": ["adpE"],
    "e_measure.max or e_measure.mean or e_measure.adp": ["Em", "E_phi"],
    "e_measure": ["E-measure", "emeasure"],
    "s_measure": ["Sm", "S-measure", "smeasure", "S_alpha"],
    "mae": ["MAE", "M.A.E."],
    "weighted_f": ["weighted F", "F_beta^w", "w-F", "weighted F-measure"],
    "wfm": ["wFm", "WFM"],
    "hd95": ["HD95", "hd_95"],
    "iou.bin or iou.mean": ["mIoU"],
    "iou": ["IoU", "Jaccard"],
    "auc": ["AUC", "AUROC"],
    "ap": ["AP", "average precision"],
    "pd": ["Pd"],
    "fa": ["Fa"],
    "dice": ["Dice", "DSC"],
    "hce": ["HCE"],
    "sod": ["SOD"],
    "f1.max": ["maxF1", "F1-max"],
}


@pytest.mark.parametrize(
    ("word", "name"), [(word, name) for name, said in ANSWERS.items() for word in said]
)
def test_a_word_of_the_field_has_a_name_here(word, name) -> None:
    # A hint alone: what a paper calls "F-measure" is one of three numbers.
    with pytest.raises(InputError) as caught:
        resolve(word)
    assert str(caught.value) == f"unknown metric {word!r}; did you mean {name}?"


def test_every_answer_can_be_asked_for() -> None:
    for names in words._MEANT.values():
        for name in names:
            assert resolve(name)
    for score in words._REPORTED.values():
        for report in words._REPORTS.values():
            assert resolve(f"{score}.{report}")


def test_other_words_are_answered_by_their_spelling() -> None:
    with pytest.raises(InputError, match=r"^unknown metric 'maee'; did you mean mae"):
        resolve("maee")
    with pytest.raises(InputError, match=r"^unknown metric 'zzz'; `fastsegmetrics metrics` lists"):
        resolve("zzz")
    with pytest.raises(InputError, match=r"^metrics must be names with one comma"):
        resolve("two words")
