"""The table: what is marked, what is noted, and that every written form holds the values."""

from __future__ import annotations

import csv
import io
import math
from typing import NamedTuple

import pytest

from fastsegmetrics.reporting import table as tables
from fastsegmetrics.reporting.terminal import to_text


class Fake(NamedTuple):
    value: float
    direction: str = "higher"
    n_expected: int = 10
    n_used: int = 10
    n_undefined: int = 0
    n_infinite: int = 0


RESULTS = {
    "A_net": {"f_beta.max": Fake(0.91249), "mae": Fake(0.05, "lower")},
    "B|net": {"f_beta.max": Fake(0.9), "mae": Fake(0.0499, "lower")},
    "C": {"f_beta.max": Fake(0.9121), "mae": Fake(0.0512, "lower")},
}


def test_best_is_by_direction_and_by_the_digits_shown():
    table = tables.build(RESULTS)
    assert [[cell.best for cell in row.cells] for row in table.rows] == [
        [True, True],
        [False, True],
        [True, False],
    ]
    table = tables.build(RESULTS, digits=4)
    assert [[cell.best for cell in row.cells] for row in table.rows] == [
        [True, False],
        [False, True],
        [False, False],
    ]


def test_a_single_method_has_no_best():
    table = tables.build({"A": RESULTS["A_net"]})
    assert not any(cell.best for cell in table.rows[0].cells)
    assert "*" not in to_text(table)


def test_undefined_values_are_never_best():
    nan = {"m": Fake(math.nan, n_used=0, n_undefined=10)}
    table = tables.build({"A": nan, "B": {"m": Fake(0.1)}})
    assert [row.cells[0] for row in table.rows] == [("–", False, ""), ("0.100", False, "")]
    table = tables.build({"A": nan, "B": nan})
    assert not any(row.cells[0].best for row in table.rows)


def test_a_mean_that_leaves_out_infinite_values_is_never_best():
    missing = Fake(0.8, "lower", n_used=9, n_infinite=1)
    table = tables.build({"A": {"hd": missing}, "B": {"hd": Fake(2.5, "lower")}})
    assert [row.cells[0] for row in table.rows] == [("0.800", False, "1 inf"), ("2.500", True, "")]
    assert "never marked best" in table.note
    # Where both round alike, the one that leaves out none is marked alone.
    table = tables.build({"A": {"hd": missing}, "B": {"hd": Fake(0.8, "lower")}})
    assert [row.cells[0].best for row in table.rows] == [False, True]
    table = tables.build({"A": {"hd": missing}, "B": {"hd": missing}})
    assert not any(row.cells[0].best for row in table.rows)


def test_nothing_is_best_of_a_column_of_different_numbers_of_samples():
    fewer = Fake(0.9, n_used=7, n_undefined=3)
    results = {"A": {"m": fewer, "x": Fake(0.2)}, "B": {"m": Fake(0.8), "x": Fake(0.1)}}
    table = tables.build(results)
    assert [[cell.best for cell in row.cells] for row in table.rows] == [
        [False, True],
        [False, False],
    ]
    sentence = "Where methods have values for different numbers of samples, none is marked best."
    assert table.note.endswith(f"is undefined. {sentence}")
    for text in (to_text(table), tables.to_markdown(table), tables.to_latex(table)):
        assert text.count(sentence) == 1
    # Left out of all columns of a method: a sample without prediction.
    results = {"A": {"m": Fake(0.9, n_used=7)}, "B": {"m": Fake(0.8, n_used=8)}}
    table = tables.build(results)
    assert not any(row.cells[0].best for row in table.rows)
    assert table.note == sentence
    assert "textbf" not in tables.to_latex(table)
    # As many of both, and one method alone.
    even = {method: {"m": Fake(0.9, n_used=7)} for method in "AB"}
    assert all(row.cells[0].best for row in tables.build(even).rows)
    assert tables.build({"A": {"m": fewer, "x": Fake(0.2)}}).note.endswith("is undefined.")


def test_what_is_not_zero_does_not_look_it():
    results = {
        "A": {"fa": Fake(8.84e-5, "lower")},
        "B": {"fa": Fake(8.76e-6, "lower")},
        "C": {"fa": Fake(2.5e-3, "lower")},
    }
    table = tables.build(results)
    cells = [row.cells[0][:2] for row in table.rows]
    assert cells == [("8.8e-05", False), ("8.8e-06", True), ("0.003", False)]
    results["D"] = {"fa": Fake(0.0, "lower")}
    cells = [row.cells[0][:2] for row in tables.build(results).rows]
    assert cells[1:] == [("8.8e-06", False), ("0.003", False), ("0.000", True)]
    for text in (to_text(table), tables.to_markdown(table), tables.to_latex(table)):
        assert "8.8e-06" in text
        assert "8.8e-05" in text


def test_samples_stand_in_their_column_only_when_some_are_left_out():
    assert not tables.build(RESULTS).show_samples
    table = tables.build({"A": {"m": Fake(0.5, n_used=8)}, "B": {"m": Fake(0.6)}})
    assert table.show_samples
    assert tables.cells_as_text(table, bold="{}") == [
        ["Method", "n", "m ↑"],
        ["A", "8/10", "0.500"],
        ["B", "10/10", "0.600"],
    ]


def test_a_value_of_fewer_samples_than_its_row_says_so():
    results = {
        "A": {"m": Fake(0.5), "x": Fake(0.25, "lower", n_used=7, n_undefined=1, n_infinite=2)}
    }
    table = tables.build(results)
    assert table.rows[0].cells[1] == ("0.250", False, "n=7, 2 inf")
    assert "infinite value" in table.note
    assert "undefined" in table.note
    for text in (to_text(table), tables.to_markdown(table), tables.to_latex(table)):
        assert "0.250 (n=7, 2 inf)" in text
        assert table.note in text


def test_a_stratum_has_fewer_samples_because_the_others_have_no_such_target():
    results = {"A": {"m": Fake(0.5), "m[small]": Fake(0.25, n_used=4)}}
    assert tables.build(results).note == (
        "n=…: mean of that many samples, the others have no target of that size or are undefined."
    )


def test_where_the_samples_are_that_a_value_lacks():
    def note(**lacking):
        return tables.build({"one": {"mae": Fake(0.1), "part": Fake(0.2, **lacking)}}).note

    assert note() == ""
    assert note(n_used=7, n_undefined=3).endswith("the value of the others is undefined.")
    assert note(n_used=7, n_undefined=2).endswith("the others are in other strata or undefined.")
    assert note(n_used=0).endswith("the others are in other strata or undefined.")


def test_nothing_is_best_of_what_does_not_compare():
    table = tables.build(RESULTS, comparable=False)
    assert not any(cell.best for row in table.rows for cell in row.cells)
    assert [row.method for row in table.rows] == list(RESULTS)
    hashes = {name: f"hash of {name}" for name in RESULTS}
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(RESULTS, hashes))))
    assert [row["contract"] for row in rows] == [hashes[row["method"]] for row in rows]


def test_markdown_parses():
    lines = tables.to_markdown(tables.build(RESULTS)).splitlines()
    assert lines[0] == "| Method | f_beta.max ↑ |     mae ↓ |"
    assert lines[1] == "| ------ | -----------: | --------: |"
    assert lines[2] == "| A_net  |    **0.912** | **0.050** |"
    assert lines[3] == "| B\\|net |        0.900 | **0.050** |"
    assert len(lines) == 5


def test_latex_is_a_booktabs_tabular_with_names_escaped():
    text = tables.to_latex(tables.build(RESULTS))
    assert text.startswith("\\begin{tabular}{lcc}\n  \\toprule\n")
    assert text.endswith("  \\bottomrule\n\\end{tabular}\n")
    assert "f\\_beta.max $\\uparrow$" in text
    assert "mae $\\downarrow$" in text
    assert "A\\_net" in text
    assert "\\textbf{0.912}" in text
    assert text.count("\\\\\n") == 4


def test_latex_names_are_no_arguments_of_the_line_before():
    results = {name: {"mae": Fake(0.5)} for name in ("[1] A", "*B")}
    lines = tables.to_latex(tables.build(results)).splitlines()
    assert lines[4].startswith("  {[}1] A & ")
    assert lines[5].startswith("  {*}B ")


def test_csv_holds_every_value_exactly_with_its_counts():
    results = {"A,1": {"m": Fake(1 / 3, n_used=9, n_undefined=1)}, "B": {"m": Fake(math.inf)}}
    rows = list(csv.DictReader(io.StringIO(tables.to_csv(results))))
    assert [row["method"] for row in rows] == ["A,1", "B"]
    assert float(rows[0]["value"]) == 1 / 3
    assert rows[0]["n_used"] == "9"
    assert rows[0]["n_undefined"] == "1"
    assert float(rows[1]["value"]) == math.inf


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.9996, "1.000"),
        (-math.inf, "-inf"),
        (math.inf, "inf"),
        (2, "2.000"),
        (0.0, "0.000"),
        (0.0004, "4.0e-04"),
        (-0.0004, "-4.0e-04"),
        (0.00051, "0.001"),
        (1e-300, "1.0e-300"),
    ],
)
def test_format_value(value, text):
    assert tables.format_value(value, 3) == text


def test_plain_text_marks_the_best_with_a_star():
    assert to_text(tables.build(RESULTS)).splitlines() == [
        "───────────────────────",
        "Method  f_beta     mae",
        "        .max ↑       ↓",
        "───────────────────────",
        "A_net    0.912*  0.050*",
        "B|net    0.900   0.050*",
        "C        0.912*  0.051",
        "───────────────────────",
        "* best",
    ]


def test_heads_are_divided_before_a_report_or_a_stratum():
    names = ("hce@7d82dc69[q0.25]", "thin parts[small]", "my own", "iou.bin")
    lines = to_text(tables.build({"A": {name: Fake(0.5) for name in names}})).splitlines()
    assert lines[1:3] == [
        "Method  hce@7d82dc69  thin parts  my own     iou",
        "           [q0.25] ↑   [small] ↑       ↑  .bin ↑",
    ]


def test_styled_text_marks_the_best_in_bold():
    text = to_text(tables.build(RESULTS), styled=True)
    assert "\x1b[1m 0.912\x1b[0m" in text
    assert "*" not in text


def test_a_table_wider_than_the_terminal_is_cut_into_blocks():
    results = {"A": {f"metric_{i}": Fake(i / 10) for i in range(6)}}
    lines = to_text(tables.build(results), width=26).splitlines()
    assert max(map(len, lines)) <= 26
    assert sum(line.startswith("Method") for line in lines) == 3
    assert sum(line.startswith("A ") for line in lines) == 3
    for i in range(6):
        assert sum(f"metric_{i}" in line for line in lines) == 1
    assert sum(set(line) == {"─"} for line in lines) == 7
    assert len(to_text(tables.build(results)).splitlines()) == 6


def test_a_narrower_gap_saves_a_cut():
    table = tables.build({"A": {f"metric_{i}": Fake(i / 10) for i in range(2)}})
    assert to_text(table, width=26).splitlines()[1] == "Method  metric_0  metric_1"
    assert to_text(table, width=25).splitlines()[1] == "Method metric_0 metric_1"
    assert to_text(table, width=24).splitlines()[1] == "Method metric_0 metric_1"
    assert to_text(table, width=23).splitlines()[1] == "Method  metric_0"
    assert to_text(table, width=1).splitlines()[1] == "Method  metric_0"


def test_a_table_of_many_metrics_is_turned():
    results = {
        "A": {f"metric_{i}": Fake(i / 100) for i in range(20)},
        "B": {f"metric_{i}": Fake(0.105) for i in range(20)},
    }
    lines = to_text(tables.build(results)).splitlines()
    assert lines[1] == "Metric           A       B"
    assert lines[3] == "metric_0 ↑   0.000   0.105*"
    assert lines[-3] == "metric_19 ↑  0.190*  0.105"
    results["B"] = {f"metric_{i}": Fake(0.105, n_used=8) for i in range(20)}
    assert to_text(tables.build(results)).splitlines()[3:5] == [
        "n            10/10   8/10",
        "metric_0 ↑   0.000  0.105",
    ]
    results["B"] = {f"metric_{i}": Fake(0.105) for i in range(20)}
    assert "\x1b[1m0.190\x1b[0m" in to_text(tables.build(results), styled=True)


def test_a_table_of_nothing():
    assert tables.build({}).rows == ()
