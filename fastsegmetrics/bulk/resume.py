"""Whether a stored run and the one asked for are the same, and which pairs need no measuring."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastsegmetrics.bulk.measure import ZERO_MAP, identity
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.errors import InputError

if TYPE_CHECKING:
    from fastsegmetrics.bulk.pairs import PairList

_ABSENT = object()


def check_contract(store: RunStore, contract: Mapping[str, Any]) -> None:
    """Record the contract in a new store; in an old one, require the same.

    The metrics' order counts too: it is that of the values in every stored measurement.

    Raises
    ------
    InputError
        The stored contract differs; the message names the first difference.
    """
    now = json.loads(json.dumps({**contract, "order of metrics": ", ".join(contract["metrics"])}))
    stored = store.setting("contract")
    if stored is None:
        store.set("contract", now)
        return
    difference = first_difference(stored, now)
    if difference is not None:
        raise InputError(
            f"{store.directory}: holds a run with {difference.name} = {difference.before}, now it "
            f"is {difference.now}; take another --out, or the first value"
        )


class Difference(NamedTuple):
    """A place where two contracts differ, and what stands there, as text."""

    name: str
    before: str
    now: str


def first_difference(
    before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = ""
) -> Difference | None:
    """The first place where two contracts differ, or None."""
    for key in [*before, *(key for key in now if key not in before)]:
        old, new = before.get(key, _ABSENT), now.get(key, _ABSENT)
        name = f"{prefix}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            below = first_difference(old, new, f"{name}.")
            if below is not None:
                return below
        elif old != new and name != "hash":
            return Difference(name, _as_text(old), _as_text(new))
    return None


def _as_text(value: Any) -> str:
    if value is _ABSENT:
        return "absent"
    return "present" if isinstance(value, Mapping) else repr(value)


class Kept:
    """The pairs of a store that stand, checked against the files as they are now.

    A measured pair whose files changed is an error: its value would belong to other pixels than
    the rest of the table. A skipped pair is tried again when a file changed, or when errors stop
    the run.

    Parameters
    ----------
    store : RunStore
        Read only.
    pairs : PairList
        The files now.
    retry_skipped : bool
        Try skipped pairs again in any case.

    Raises
    ------
    InputError
        A stored method or sample is not asked for any more, or a file of a measured pair changed.
    """

    def __init__(self, store: RunStore, pairs: PairList, *, retry_skipped: bool) -> None:
        self._store = store
        self._pairs = pairs
        self._retry_skipped = retry_skipped
        self._samples: dict[str, int] = {}
        truths: dict[str, str] = {}
        names = set(pairs.samples)
        for row in store.pairs():
            self._require_known(row, names)
            self._require_unchanged(row, truths)
            self._samples[row.sample] = self._samples.get(row.sample, 0) + 1

    def _require_known(self, row: StoredPair, names: set[str]) -> None:
        where = self._store.directory
        if row.method not in self._pairs.predictions:
            raise InputError(
                f"{where}: holds a run with the method {row.method!r}, which is not among the "
                f"predictions now; name it too, or take another --out"
            )
        if row.sample not in names:
            raise InputError(
                f"{where}: holds a run with the sample {row.sample!r}, which has no ground truth "
                f"now; take another --out"
            )

    def _require_unchanged(self, row: StoredPair, truths: dict[str, str]) -> None:
        if row.reason is not None:
            return
        truth = self._pairs.truths[row.sample]
        if row.sample not in truths:
            truths[row.sample] = identity_now(truth)
        prediction = self._pairs.predictions[row.method].get(row.sample)
        for path, before, now in (
            (truth, row.truth, truths[row.sample]),
            (prediction, row.prediction, identity_now(prediction)),
        ):
            if before != now:
                raise InputError(
                    f"{path or row.sample}: not the file that was measured ({before!r}, now "
                    f"{now!r}); take another --out"
                )

    def rows(self, sample: str) -> dict[str, StoredPair]:
        """The rows of `sample` that stand, by method."""
        if sample not in self._samples:
            return {}
        rows = self._store.sample(sample)
        return {method: row for method, row in rows.items() if self._stands(row)}

    def _stands(self, row: StoredPair) -> bool:
        if row.reason is None:
            return True
        if self._retry_skipped:
            return False
        truth = self._pairs.truths[row.sample]
        prediction = self._pairs.predictions[row.method].get(row.sample)
        return (row.truth, row.prediction) == (identity_now(truth), identity_now(prediction))

    def __len__(self) -> int:
        return len(self._samples)


def identity_now(path: Path | None) -> str:
    """`identity` of a file, of a missing prediction, or "gone"."""
    if path is None:
        return ZERO_MAP
    try:
        return identity(path)
    except OSError:
        return "gone"
