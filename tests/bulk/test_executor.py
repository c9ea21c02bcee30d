"""The executor: order, bounded look-ahead, errors, and what it takes for workers."""

from __future__ import annotations

import threading
import time
from contextvars import ContextVar
from itertools import islice

import pytest

from fastsegmetrics.bulk import executor
from fastsegmetrics.bulk.executor import check_workers, default_workers, in_order
from fastsegmetrics.errors import InputError


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_outcomes_come_in_the_order_of_the_items(workers):
    def work(item):
        time.sleep(0.002 * (item % 3 == 0))
        return item * item

    assert list(in_order(work, range(50), workers, 50)) == [(i, i * i) for i in range(50)]


def test_items_are_taken_only_as_needed():
    taken = []

    def items():
        for i in range(10_000):
            taken.append(i)
            yield i

    def work(item):
        time.sleep(0.001)
        return item

    outcomes = in_order(work, items(), 3, 10_000)
    ahead = []
    for item, _ in islice(outcomes, 300):
        ahead.append(len(taken) - item)
    assert max(ahead) <= (3 * 4 + 1) * 8
    assert ahead[0] == 12
    outcomes.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_the_callers_thread_does_no_work(workers):
    threads = {o for _, o in in_order(lambda _: threading.get_ident(), range(20), workers, 20)}
    assert threading.get_ident() not in threads
    assert 1 <= len(threads) <= workers


def test_several_workers_work_at_the_same_time():
    meeting = threading.Barrier(3, timeout=10)
    list(in_order(lambda _: meeting.wait(), range(6), 3, 6))


@pytest.mark.parametrize("workers", [1, 3])
def test_an_exception_of_the_work_is_raised_where_its_item_stands(workers):
    def work(item):
        if item == 5:
            raise KeyError(item)
        return item

    outcomes = in_order(work, range(100), workers, 100)
    assert [next(outcomes)[0] for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(KeyError):
        next(outcomes)
    assert not [t for t in threading.enumerate() if t.name.startswith("fastsegmetrics")]


@pytest.mark.parametrize("expected", [0, 3, 64, 1000])
def test_all_items_are_done_whatever_number_was_expected(expected):
    assert [o for _, o in in_order(abs, range(64), 2, expected)] == list(range(64))


def test_tasks_become_smaller_towards_the_end(monkeypatch):
    sizes = []
    work_through = executor._work_through

    def noted(work, chunk):
        sizes.append(len(chunk))
        return work_through(work, chunk)

    monkeypatch.setattr(executor, "_work_through", noted)
    assert len(list(in_order(abs, range(200), 2, 200))) == 200
    assert max(sizes) == 8
    assert sum(sizes) == 200
    assert sizes[-4:] == [1, 1, 1, 1]


def test_default_workers(monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(3)), raising=False)
    assert default_workers() == 3
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert check_workers(None) == 8
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: None)
    assert default_workers() == 1


@pytest.mark.parametrize("workers", [0, -1, 1.5, "2", True])
def test_workers_must_be_a_count(workers):
    with pytest.raises(InputError, match=r"workers must be an integer of at least 1; received"):
        check_workers(workers)


def test_the_callers_context_reaches_the_work():
    where = ContextVar("where", default="nowhere")
    token = where.set("here")
    try:
        assert {o for _, o in in_order(lambda _: where.get(), range(9), 2, 9)} == {"here"}
    finally:
        where.reset(token)
