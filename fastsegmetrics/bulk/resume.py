"""Whether a stored run and the one asked for are the same, and which pairs need no measuring."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastsegmetrics.bulk.measure import ZERO_MAP, identity
from fastsegmetrics.bulk.store import RunStore, StoredPair
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import printable

if TYPE_CHECKING:
    from fastsegmetrics.bulk.pairs import PairList

_ABSENT = object()
_GONE = "gone"
_MOST_DIFFERENCES = 5


def check_contract(store: RunStore, contract: Mapping[str, Any], backend: str) -> None:
    """Record the contract and the backend in a new store; in an old one, require the same.

    The metrics' order counts too: it is that of the values in every stored measurement. So does
    who computes: the backends agree to 1e-12, not to the bit.

    Raises
    ------
    InputError
        The stored contract differs; the message names the first difference.
    """
    now = recorded(contract, backend)
    stored = store.setting("contract")
    if stored is None:
        store.set("contract", now)
    else:
        require_same(store.directory, stored, now)


def recorded(contract: Mapping[str, Any], backend: str) -> dict[str, Any]:
    """Return what is kept of a contract and a backend, as it is read back from JSON."""
    settings = {"order of metrics": ", ".join(contract["metrics"]), "backend": backend}
    told: dict[str, Any] = json.loads(json.dumps({**contract, **settings}))
    return told


def require_same(directory: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse what differs from what is recorded of the run in a directory; name the first place."""
    difference = next(differences(before, now), None)
    if difference is not None:
        raise InputError(
            f"{printable(directory)}: holds a run with {difference.name} = "
            f"{difference.before}, now it is {difference.now}; take another run directory, or the "
            f"first value"
        )


class Difference(NamedTuple):
    """A place where two contracts differ, and what stands there, as text."""

    name: str
    before: str
    now: str


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], prefix: str = ""
) -> Iterator[Difference]:
    """Yield the places where two contracts differ."""
    for key in [*before, *(key for key in now if key not in before)]:
        old, new = before.get(key, _ABSENT), now.get(key, _ABSENT)
        name = f"{prefix}{key}"
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from differences(old, new, f"{name}.")
        elif old != new and name != "hash":
            yield Difference(name, _as_text(old), _as_text(new))


def agree(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether two contracts differ in nothing but versions: numbers under them compare."""
    return all(map(_of_versions, differences(before, now)))


def _of_versions(difference: Difference) -> bool:
    # The same numbers but for rounding: a contract's hash is without them.  That of volumes has the
    # package's alone.
    return difference.name.startswith("versions.") or difference.name == "fastsegmetrics"


def told_apart(
    before: Mapping[str, Any], before_in: str | Path, now: Mapping[str, Any], now_in: str | Path
) -> Iterator[str]:
    """Yield a sentence for each of the first places where the contracts of two runs differ."""
    found = list(differences(before, now))
    for one in found[:_MOST_DIFFERENCES]:
        what = "other versions" if _of_versions(one) else "not comparable"
        yield f"{what}: {one.name} is {one.before} in {before_in} and {one.now} in {now_in}"
    if len(found) > _MOST_DIFFERENCES:
        more = len(found) - _MOST_DIFFERENCES
        yield f"{more} more difference{'' if more == 1 else 's'} between {before_in} and {now_in}"


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
        where = printable(self._store.directory)
        if row.method not in self._pairs.predictions:
            raise InputError(
                f"{where}: holds a run with the method {row.method!r}, which is not among the "
                f"predictions now; name it too, or take another run directory"
            )
        if row.sample not in names:
            raise InputError(
                f"{where}: holds a run with the sample {row.sample!r}, which has no ground truth "
                f"now; take another run directory"
            )

    def _require_unchanged(self, row: StoredPair, truths: dict[str, str]) -> None:
        if row.reason is not None:
            return
        if row.sample not in truths:
            truths[row.sample] = self._truth_now(row.sample)
        prediction = self._pairs.predictions[row.method].get(row.sample)
        now = identity_now(prediction)
        if row.truth != truths[row.sample]:
            files = [("the ground truth", self._pairs.truths[row.sample])]
            if row.sample in self._pairs.images:
                files.append(("the photograph", self._pairs.images[row.sample]))
            befores, nows = row.truth.split("/"), truths[row.sample].split("/")
            for (role, path), before, after in zip(files, befores, nows):
                if before != after:
                    raise self._changed(f"{role} {printable(path)}", before, after)
        if row.prediction != now:
            file = f"sample {row.sample!r}" if prediction is None else printable(prediction)
            raise self._changed(f"the prediction of {row.method!r} {file}", row.prediction, now)

    def _truth_now(self, sample: str) -> str:
        image = self._pairs.images.get(sample)
        own = identity_now(self._pairs.truths[sample])
        return own if image is None else f"{own}/{identity_now(image)}"

    def _changed(self, file: str, before: str, now: str) -> InputError:
        return InputError(
            f"{printable(self._store.directory)}: {file} {what_changed(before, now)}; put the "
            f"measured one back, or take another run directory"
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
        prediction = self._pairs.predictions[row.method].get(row.sample)
        now = (self._truth_now(row.sample), identity_now(prediction))
        return (row.truth, row.prediction) == now

    def __len__(self) -> int:
        return len(self._samples)


def identity_now(path: Path | None) -> str:
    """`identity` of a file, of a missing prediction, or "gone"."""
    if path is None:
        return ZERO_MAP
    try:
        return identity(path)
    except OSError:
        return _GONE


def what_changed(before: str, now: str) -> str:
    """Say what became of a measured file, from its identity then and now.

    Examples
    --------
    >>> what_changed("a.png:120:0", "a.png:125:0")
    'has changed since it was measured: it had 120 bytes, now 125'
    """
    if now in (_GONE, ZERO_MAP):
        return "is gone since it was measured"
    if before == ZERO_MAP:
        return "was missing when an all-zero map was measured in its place, and is there now"
    old, new = before.rsplit(":", 2), now.rsplit(":", 2)
    if old[0] != new[0]:
        what = f"it was {old[0]}"
    elif old[1] != new[1]:
        what = f"it had {int(old[1]):,} bytes, now {int(new[1]):,}"
    else:
        what = f"it was last written {_moment(old[2])}, now {_moment(new[2])}"
    return f"has changed since it was measured: {what}"


def _moment(nanoseconds: str) -> str:
    seconds, rest = divmod(int(nanoseconds), 10**9)
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{rest:09d} UTC"
