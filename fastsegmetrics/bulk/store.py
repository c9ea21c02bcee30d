"""What is on disk of a run: one SQLite file in which every measured pair is one row.

The rollback journal is used rather than WAL: it needs no shared memory, so it works on the
network folders that clusters have, and a killed run leaves a journal that the next opening rolls
back. Commits are made by time, not by count: one costs a few milliseconds of waiting for the disk,
which is nothing every half second and everything after each small image.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, final

from fastsegmetrics.errors import FastSegMetricsError, InputError

STORE_NAME = "run.sqlite"

_APPLICATION_ID = 0x46534D31
_SCHEMA_VERSION = 2
_SCHEMA = """
CREATE TABLE run (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pair (
    sample TEXT NOT NULL,
    method TEXT NOT NULL,
    truth TEXT NOT NULL,
    prediction TEXT NOT NULL,
    resized INTEGER NOT NULL,
    reason TEXT,
    measurement BLOB,
    faint INTEGER NOT NULL,
    UNIQUE (sample, method)
);
"""

_COMMIT_EVERY = 0.5
# A slow disk must not slow the run: at most one part in twenty of the time goes into commits.
_COMMIT_SHARE = 20.0
# Pairs are inserted many at once: each statement gives the interpreter's lock away, and the thread
# that waits for it again holds up those that measure. Of 8 values each, SQLite takes 124 at least.
_MOST_WAITING = 100


class StoredPair(NamedTuple):
    """One pair as it is kept.

    Attributes
    ----------
    sample, method : str
        What was measured.
    truth, prediction : str
        Identity of the two files when they were read, see
        `fastsegmetrics.bulk.measure.identity`.
    resized : bool
        Whether the prediction was resized to its ground truth.
    reason : str or None
        Why the pair was skipped; None for a measured pair.
    measurement : bytes or None
        The measurement; None for a skipped pair, and where it was not asked for.
    faint : bool
        Whether the ground truth counts as empty though it holds values: none is above 128.
    """

    sample: str
    method: str
    truth: str
    prediction: str
    resized: bool
    reason: str | None
    measurement: bytes | None
    faint: bool = False


@final
class RunStore:
    """The store of one run directory; one process writes it at a time.

    Parameters
    ----------
    directory : path
        The run directory.
    create : bool
        Make the directory and the store if they are not there; otherwise their absence is an error.

    Raises
    ------
    InputError
        The path is a file, the store is missing, not a store, of another version, or in use.
    """

    def __init__(self, directory: str | Path, *, create: bool = True) -> None:
        self.directory = Path(directory)
        self.path = self.directory / STORE_NAME
        self._prepare_directory(create)
        self._waiting: list[StoredPair] = []
        self._last_commit = time.monotonic()
        self._commit_pause = _COMMIT_EVERY
        with self._named_errors():
            self._db = sqlite3.connect(self.path, timeout=0.2, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def _prepare_directory(self, create: bool) -> None:
        if self.directory.exists() and not self.directory.is_dir():
            raise InputError(f"{self.directory}: a run directory is expected, this is a file")
        if create:
            try:
                self.directory.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"{self.directory}: the run directory cannot be made ({error.strerror})"
                ) from error
        elif not self.path.is_file():
            raise InputError(f"{self.directory}: not a run directory, it has no {STORE_NAME}")

    def _open(self) -> None:
        # Held until closing, so that a second run into the same folder is told, not mixed in.
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = DELETE")
        # Rows are 0.2 KB (one value) to 61 KB ("all"), those of "sod" 2.6: at the default 4 KB page
        # their insertion took nearly twice as long.
        self._db.execute("PRAGMA page_size = 16384")
        # 1 MB, enough for rows that come in order; by default it grew to 8 MB with these pages.
        self._db.execute("PRAGMA cache_size = 64")
        self._db.execute("PRAGMA synchronous = NORMAL")
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        application = self._db.execute("PRAGMA application_id").fetchone()[0]
        empty = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if empty and version == 0:
            # Committed with what comes first, since a commit of its own waits for the disk three
            # times; killed before that, the file is an empty one, and made a store again.
            self._db.executescript(
                f"BEGIN EXCLUSIVE; {_SCHEMA} PRAGMA user_version = {_SCHEMA_VERSION};"
                f"PRAGMA application_id = {_APPLICATION_ID};"
            )
        elif application != _APPLICATION_ID:
            raise InputError(f"{self.path}: not a run store of fastsegmetrics")
        elif version != _SCHEMA_VERSION:
            raise InputError(
                f"{self.path}: store version {version}, this fastsegmetrics reads version "
                f"{_SCHEMA_VERSION}"
            )
        elif self.path.with_name(f"{STORE_NAME}-journal").exists():
            # A killed run leaves it. Where nothing is to be rolled back, SQLite takes it over, and
            # away at closing, only with the first writing, which a finished run never does.
            self._db.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            text = str(error)
            if "locked" in text:
                raise InputError(f"{self.path}: in use by another process") from error
            if "not a database" in text or "malformed" in text:
                raise InputError(f"{self.path}: not a run store of fastsegmetrics") from error
            if "unable to open" in text or "readonly" in text:
                # SQLite writes beside its file too, so that the folder must be writable as well.
                raise InputError(
                    f"{self.directory}: the run directory, or {STORE_NAME} in it, cannot be written"
                ) from error
            raise FastSegMetricsError(f"{self.path}: {text}") from error

    def setting(self, key: str) -> Any:
        """Value stored under `key`, or None."""
        with self._named_errors():
            row = self._db.execute("SELECT value FROM run WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def set(self, key: str, value: Any) -> None:
        """Store a JSON value under `key`."""
        self._begin()
        with self._named_errors():
            text = json.dumps(value, sort_keys=True)
            self._db.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, text))

    def pairs(self) -> Iterator[StoredPair]:
        """All pairs, without their measurements."""
        self._insert()
        query = "SELECT sample, method, truth, prediction, resized, reason, NULL, faint FROM pair"
        with self._named_errors():
            for row in self._db.execute(query):
                yield _stored(row)

    def sample(self, sample: str) -> dict[str, StoredPair]:
        """The stored pairs of one sample by method, with their measurements."""
        self._insert()
        query = (
            "SELECT sample, method, truth, prediction, resized, reason, measurement, faint "
            "FROM pair WHERE sample = ?"
        )
        with self._named_errors():
            rows = self._db.execute(query, (sample,)).fetchall()
        return {row[1]: _stored(row) for row in rows}

    def add(self, pair: StoredPair) -> None:
        """Keep a pair (replacing what was kept of it); on disk after the next commit."""
        self._begin()
        self._waiting.append(pair)
        if len(self._waiting) == _MOST_WAITING:
            self._insert()

    def _insert(self) -> None:
        """Hand the pairs that wait to SQLite, which replaces what it has of them."""
        if not self._waiting:
            return
        places = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * len(self._waiting))
        with self._named_errors():
            self._db.execute(
                f"INSERT OR REPLACE INTO pair VALUES {places}",
                [value for pair in self._waiting for value in pair],
            )
        self._waiting.clear()

    def _begin(self) -> None:
        # SQLite is asked, not a flag of ours: an interrupt may fall between its step and ours.
        if not self._db.in_transaction:
            with self._named_errors():
                self._db.execute("BEGIN IMMEDIATE")

    def commit_when_due(self) -> None:
        """Commit if the last one is long enough ago."""
        if time.monotonic() - self._last_commit >= self._commit_pause:
            self.commit()

    def commit(self) -> None:
        """Bring everything added so far to disk."""
        if not self._db.in_transaction:
            return
        start = time.monotonic()
        self._insert()
        with self._named_errors():
            self._db.execute("COMMIT")
        self._last_commit = time.monotonic()
        took = self._last_commit - start
        self._commit_pause = max(_COMMIT_EVERY, _COMMIT_SHARE * took)

    def close(self) -> None:
        """Commit and release the file."""
        try:
            self.commit()
        finally:
            self._db.close()

    def __enter__(self) -> RunStore:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _stored(row: tuple[Any, ...]) -> StoredPair:
    pair = StoredPair(*row)
    return pair._replace(resized=bool(pair.resized), faint=bool(pair.faint))
