"""The store: what is added comes back, what was committed survives, strangers are refused."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from fastsegmetrics.bulk.store import STORE_NAME, RunStore, StoredPair
from fastsegmetrics.errors import FastSegMetricsError, InputError


def _pair(sample="a", method="m", **changes):
    pair = StoredPair(sample, method, "1:2", "3:4", False, None, b"\x00\x01")
    return pair._replace(**changes)


def test_what_is_added_comes_back(tmp_path):
    with RunStore(tmp_path / "new" / "run") as store:
        store.set("methods", ["m", "é"])
        store.add(_pair())
        store.add(_pair(method="é", resized=True, faint=True))
        store.add(_pair(sample="b", reason="corrupt", measurement=None))
    with RunStore(tmp_path / "new" / "run", create=False) as store:
        assert store.setting("methods") == ["m", "é"]
        assert store.setting("nothing") is None
        assert store.sample("a") == {"m": _pair(), "é": _pair(method="é", resized=True, faint=True)}
        assert store.sample("none") == {}
        kept = sorted(store.pairs())
    assert [(pair.sample, pair.method, pair.reason) for pair in kept] == [
        ("a", "m", None),
        ("a", "é", None),
        ("b", "m", "corrupt"),
    ]
    assert all(pair.measurement is None for pair in kept)


def test_a_pair_added_twice_is_replaced(tmp_path):
    with RunStore(tmp_path) as store:
        store.add(_pair(reason="corrupt", measurement=None))
        store.add(_pair())
        assert store.sample("a") == {"m": _pair()}


def test_many_pairs_are_inserted_at_once_and_none_is_lost(tmp_path):
    statements = []
    with RunStore(tmp_path) as store:
        store._db.set_trace_callback(statements.append)
        for i in range(250):
            store.add(_pair(sample=f"s{i:03d}", measurement=bytes([i])))
        store.add(_pair(sample="s249", measurement=b"last"))
        assert store.sample("s200")["m"].measurement == bytes([200])
        assert store.sample("s249")["m"].measurement == b"last"
        store.add(_pair(sample="t"))
        assert len(list(store.pairs())) == 251
        store.add(_pair(sample="u"))
        store.commit()
        store._db.set_trace_callback(None)
    assert sum(text.startswith("INSERT") for text in statements) == 5
    with RunStore(tmp_path, create=False) as store:
        kept = sorted(pair.sample for pair in store.pairs())
    assert kept == [*(f"s{i:03d}" for i in range(250)), "t", "u"]


def test_commit_when_due_waits_for_its_time(tmp_path, monkeypatch):
    store = RunStore(tmp_path)
    now = [store._last_commit]
    monkeypatch.setattr("fastsegmetrics.bulk.store.time.monotonic", lambda: now[0])
    store.add(_pair())
    store.commit_when_due()
    assert store._db.in_transaction
    now[0] += 0.6
    store.commit_when_due()
    assert not store._db.in_transaction
    store.commit()
    store.close()


def test_a_slow_disk_is_asked_less_often(tmp_path, monkeypatch):
    store = RunStore(tmp_path)
    ticks = iter([0.0, 1.0])
    monkeypatch.setattr("fastsegmetrics.bulk.store.time.monotonic", lambda: next(ticks))
    store.add(_pair())
    store.commit()
    assert store._commit_pause == 20.0
    store.close()


def test_committed_pairs_survive_a_kill(tmp_path):
    script = f"""
import sys, time
from fastsegmetrics.bulk.store import RunStore, StoredPair
store = RunStore({str(tmp_path)!r})
for i in range(50):
    store.add(StoredPair(f"s{{i}}", "m", "1", "1", False, None, b"x" * 100_000))
store.commit()
for i in range(50, 100):
    store.add(StoredPair(f"s{{i}}", "m", "1", "1", False, None, b"x" * 100_000))
print("ready", flush=True)
time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(InputError, match="in use by another process"):
        RunStore(tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    with RunStore(tmp_path, create=False) as store:
        assert sorted(pair.sample for pair in store.pairs()) == sorted(f"s{i}" for i in range(50))


def test_a_folder_without_a_store(tmp_path):
    with pytest.raises(InputError, match=r"not a run directory, it has no run\.sqlite"):
        RunStore(tmp_path, create=False)
    with pytest.raises(InputError, match="not a run directory"):
        RunStore(tmp_path / "none", create=False)


def test_a_file_where_a_directory_is_expected(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(InputError, match="this is a file"):
        RunStore(path)
    with pytest.raises(InputError, match="cannot be made"):
        RunStore(path / "below")


def test_a_store_that_cannot_be_written(tmp_path, monkeypatch):
    sentence = f"{tmp_path}: the run directory, or {STORE_NAME} in it, cannot be written"
    (tmp_path / STORE_NAME).mkdir()
    with pytest.raises(InputError) as caught:
        RunStore(tmp_path)
    assert str(caught.value) == sentence
    (tmp_path / STORE_NAME).rmdir()

    def refuse(self):
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(RunStore, "_open", refuse)
    with pytest.raises(InputError) as caught:
        RunStore(tmp_path)
    assert str(caught.value) == sentence


def test_strangers_are_refused(tmp_path):
    path = tmp_path / STORE_NAME
    path.write_bytes(b"no database " * 100)
    with pytest.raises(InputError, match="not a run store"):
        RunStore(tmp_path)
    path.unlink()
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE t (x)")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="not a run store"):
        RunStore(tmp_path)


def test_another_version_is_refused(tmp_path):
    RunStore(tmp_path).close()
    db = sqlite3.connect(tmp_path / STORE_NAME)
    db.execute("PRAGMA user_version = 99")
    db.commit()
    db.close()
    with pytest.raises(InputError, match="store version 99, this fastsegmetrics reads version 2"):
        RunStore(tmp_path)


def test_other_database_errors_name_the_store(tmp_path):
    store = RunStore(tmp_path)
    store._db.execute("DROP TABLE pair")
    store.add(_pair())
    with pytest.raises(FastSegMetricsError, match=r"run\.sqlite: no such table"):
        store.commit()
    store._db.execute("ROLLBACK")
    store.close()
