"""Why the names in two folders do not match, and which argument would make them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

# A few names are enough to guess from; the commonest guesses are then tried on all, which stays
# quick where a short name is part of thousands ("1" in "10_map", "21_map", ...).
_GUESSED_FROM = 4
_TRIED = 20
_SEPARATORS = "_-. "


class _Parts(NamedTuple):
    """What to leave off the names of either side."""

    gt_prefix: str
    gt_suffix: str
    pred_prefix: str
    pred_suffix: str


def suggest(
    missing: Sequence[str],
    extra: Sequence[str],
    given: tuple[str, str, str, str],
    others: Literal["predictions", "photographs"] = "predictions",
) -> str:
    """Say what would make unmatched names match, or "" if nothing recognised does.

    Parameters
    ----------
    missing, extra : sequence of str
        Keys of ground truths without a prediction, and of predictions without a ground truth;
        neither is empty.  Of one of each nothing is said about parts of names.
    given : tuple of str
        The ground truth's prefix and suffix and the prediction's that were left off already.
    others : {"predictions", "photographs"}
        What the extra names are of.  For photographs nothing is proposed of the ground truths,
        whose names the predictions match.

    Returns
    -------
    str
        A clause without a full stop, for example
        ``did you mean pred_suffix='_pred' (12 of 12 missing names would match)?``.

    Examples
    --------
    >>> suggest(["cat", "dog"], ["cat_pred", "dog_pred"], ("", "", "", ""))
    "did you mean pred_suffix='_pred' (2 of 2 missing names would match)?"
    """
    return (
        _by_case(missing, extra)
        or _by_nesting(missing, extra, others)
        or _by_parts(missing, extra, given, others)
    )


def _by_case(missing: Sequence[str], extra: Sequence[str]) -> str:
    folded = {key.casefold() for key in extra}
    matches = sum(key.casefold() in folded for key in missing)
    if not _explains(matches, missing):
        return ""
    return f"{matches} of {len(missing)} missing names differ by upper and lower case only"


def _by_nesting(missing: Sequence[str], extra: Sequence[str], others: str) -> str:
    bare = {_split(key)[1]: _split(key)[0] for key in extra}
    pairs = [(_split(key)[0], bare[name]) for key in missing if (name := _split(key)[1]) in bare]
    if not _explains(len(pairs), missing):
        return ""
    if all(pred and not gt and pred == pairs[0][1] for gt, pred in pairs):
        return f"did you mean the folder {pairs[0][1]!r} inside it as {others}?"
    if others == "predictions" and all(gt and not pred and gt == pairs[0][0] for gt, pred in pairs):
        return f"did you mean the folder {pairs[0][0]!r} inside that of the ground truths?"
    return (
        f"{len(pairs)} of {len(missing)} missing names would match without the folders that the "
        f"files are nested in"
    )


def _by_parts(
    missing: Sequence[str], extra: Sequence[str], given: tuple[str, str, str, str], others: str
) -> str:
    if len(missing) == len(extra) == 1:
        # Two names that do not match are alike by chance as well: nothing shows a rule.
        return ""
    best, matches = None, 0
    side = "pred" if others == "predictions" else "image"
    guesses = (
        parts
        for parts in _guesses(missing, extra)
        if side == "pred" or not (parts.gt_prefix or parts.gt_suffix)
    )
    for parts, _ in Counter(guesses).most_common(_TRIED):
        count = _matches(parts, missing, extra)
        if count > matches or (
            best is not None and count == matches and len("".join(parts)) < len("".join(best))
        ):
            best, matches = parts, count
    if best is None or not _explains(matches, missing):
        return ""
    arguments = (
        ("gt_prefix", given[0] + best.gt_prefix, best.gt_prefix),
        ("gt_suffix", best.gt_suffix + given[1], best.gt_suffix),
        (f"{side}_prefix", given[2] + best.pred_prefix, best.pred_prefix),
        (f"{side}_suffix", best.pred_suffix + given[3], best.pred_suffix),
    )
    wanted = " ".join(f"{name}={value!r}" for name, value, new in arguments if new)
    return f"did you mean {wanted} ({matches} of {len(missing)} missing names would match)?"


def _guesses(missing: Sequence[str], extra: Sequence[str]) -> Iterator[_Parts]:
    for wanted in missing[:_GUESSED_FROM]:
        folder, gt = _split(wanted)
        names = [name for within, name in map(_split, extra) if within == folder]
        for pred in names:
            if gt in pred:
                start = pred.index(gt)
                yield _Parts("", "", pred[:start], pred[start + len(gt) :])
            elif pred in gt:
                start = gt.index(pred)
                yield _Parts(gt[:start], gt[start + len(pred) :], "", "")
        if names:
            yield from _shared(gt, names)


def _shared(gt: str, names: Sequence[str]) -> Iterator[_Parts]:
    """Guess that both sides have an ending (or a beginning) of their own: cat_gt and cat_map."""
    nearest = max(names, key=lambda name: _shared_start(gt, name))
    core = gt[: _shared_start(gt, nearest)].rstrip(_SEPARATORS)
    if core:
        yield _Parts("", gt[len(core) :], "", nearest[len(core) :])
    nearest = max(names, key=lambda name: _shared_start(gt[::-1], name[::-1]))
    core = gt[len(gt) - _shared_start(gt[::-1], nearest[::-1]) :].lstrip(_SEPARATORS)
    if core:
        yield _Parts(gt[: -len(core)], "", nearest[: -len(core)], "")


def _shared_start(a: str, b: str) -> int:
    """Return how many first characters are the same."""
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def _matches(parts: _Parts, missing: Sequence[str], extra: Sequence[str]) -> int:
    found = {_without(key, parts.pred_prefix, parts.pred_suffix) for key in extra}
    found.discard(None)
    return sum(_without(key, parts.gt_prefix, parts.gt_suffix) in found for key in missing)


def _without(key: str, prefix: str, suffix: str) -> str | None:
    folder, name = _split(key)
    if len(name) <= len(prefix) + len(suffix):
        return None
    if not (name.startswith(prefix) and name.endswith(suffix)):
        return None
    return folder + "/" + name[len(prefix) : len(name) - len(suffix)]


def _explains(matches: int, missing: Sequence[str]) -> bool:
    return 2 * matches >= len(missing)


def _split(key: str) -> tuple[str, str]:
    folder, _, name = key.rpartition("/")
    return folder, name
