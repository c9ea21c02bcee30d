"""The bar: on a terminal only, drawn rarely, and gone at the end."""

from __future__ import annotations

import io

import pytest
import rich.console

from fastsegmetrics.bulk.progress import Bar, Observer


class _Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = _Clock()
    monkeypatch.setattr("fastsegmetrics.bulk.progress.time.monotonic", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch):
    stream = io.StringIO()
    original = rich.console.Console

    def console(**choices):
        del choices["stderr"]
        return original(**choices, file=stream, force_terminal=True, width=90)

    monkeypatch.setattr("rich.console.Console", console)
    return stream


def test_a_bar_on_a_terminal(clock, terminal):
    bar = Bar()
    bar.started(1000, 0)
    for done in range(1, 401):
        clock.now += 0.01
        bar.advanced(done, 3 if done > 300 else 0)
    drawn = terminal.getvalue()
    assert "400/1000" in drawn
    assert "/s" in drawn
    assert "left" in drawn
    assert "3 skipped" in drawn
    # Ten times a second, and the first.
    assert 38 <= drawn.count("measuring") <= 45
    bar.ended()


def test_nothing_where_there_is_no_terminal(clock, capsys):
    bar = Bar()
    bar.started(10, 0)
    clock.now += 100
    bar.advanced(5, 0)
    bar.ended()
    assert capsys.readouterr() == ("", "")


def test_lines_where_there_is_no_terminal_if_asked(clock, capsys):
    bar = Bar(lines=True)
    bar.started(6400, 0)
    for done in range(1, 2561):
        clock.now += 1 / 64
        bar.advanced(done, 2 if done > 2000 else 0)
    bar.ended()
    assert capsys.readouterr().err.splitlines() == [
        "640 of 6,400 samples, 64/s, 0:01:30 left",
        "1,280 of 6,400 samples, 64/s, 0:01:20 left",
        "1,920 of 6,400 samples, 64/s, 0:01:10 left",
        "2,560 of 6,400 samples, 64/s, 0:01:00 left, 2 skipped",
    ]


def test_an_observer_does_nothing():
    observer = Observer()
    observer.paired(None)
    observer.started(1, 0)
    observer.advanced(1, 0)
    observer.ended()


def test_ending_before_the_start():
    Bar().ended()
