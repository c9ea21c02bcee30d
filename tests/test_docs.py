"""The documents say what the code does: examples, printed output, names, links, tests named."""

from __future__ import annotations

import doctest
import importlib.util
import math
import re
import shlex
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import fastsegmetrics as fsm
from fastsegmetrics import catalog
from fastsegmetrics.bulk.demo import make_benchmark
from fastsegmetrics.cli import main
from fastsegmetrics.conventions import Conventions

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
TEXT = {page: page.read_text("utf-8") for page in PAGES}


def each(page: Path):
    return pytest.param(page, id=str(page.relative_to(ROOT)))


ALL = [each(page) for page in PAGES]


@pytest.fixture(scope="module")
def benchmark_folder(tmp_path_factory) -> Path:
    """A folder that holds what `fastsegmetrics demo` makes, under its default name."""
    folder = tmp_path_factory.mktemp("docs")
    make_benchmark(folder / "fastsegmetrics-demo", 24)
    return folder


def fenced(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", [each(page) for page in PAGES if any(">>>" in b for b in fenced(TEXT[page], "python"))]
)
def test_examples_print_what_they_say(page: Path, benchmark_folder, monkeypatch) -> None:
    monkeypatch.chdir(benchmark_folder)
    example = "\n".join(fenced(TEXT[page], "python"))
    test = doctest.DocTestParser().get_doctest(example, {}, page.name, str(page), 0)
    told: list[str] = []
    result = doctest.DocTestRunner().run(test, out=told.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(told)


def seconds_left_out(text: str) -> list[str]:
    # Said by the first run on a machine alone.
    lines = [line for line in text.rstrip().splitlines() if not line.startswith("compiling the ")]
    return [re.sub(r"in \d+\.\d s", "in … s", line.rstrip()) for line in lines]


def as_in_a_terminal(out: str, err: str, *, n_after: int) -> str:
    """Return both streams as a terminal shows them: the table stands before the last lines."""
    lines = err.rstrip().splitlines()
    return "\n".join([*lines[:-n_after], *out.splitlines(), *lines[-n_after:]])


def commands_with_output(text: str) -> list[tuple[str, str]]:
    block = re.sub(r"\\\n\s*", "", text)
    return re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)


def test_the_readmes_command_prints_what_it_says(benchmark_folder, monkeypatch, capsys) -> None:
    monkeypatch.chdir(benchmark_folder)
    (block,) = fenced(TEXT[README], "console")
    ((command, expected),) = commands_with_output(block)
    program, *arguments = shlex.split(command)
    assert program == "fastsegmetrics"
    assert main(arguments) == 0
    shown = as_in_a_terminal(*capsys.readouterr(), n_after=1)
    assert seconds_left_out(shown) == seconds_left_out(expected)


def test_the_demo_prints_what_the_readme_says(benchmark_folder, monkeypatch, capsys) -> None:
    monkeypatch.chdir(benchmark_folder)
    assert main(["demo"]) == 0
    shown = seconds_left_out(as_in_a_terminal(*capsys.readouterr(), n_after=2))
    expected = seconds_left_out(fenced(TEXT[README], "text")[0])
    assert shown[:-1] == expected[:-1]
    drawn = importlib.util.find_spec("matplotlib") is not None
    assert shown[-1] == expected[-1] if drawn else shown[-1].startswith("no curves drawn")


def marked(marker: str) -> str:
    found = re.search(rf"^<!-- {marker} -->\n+```bash\n(.+)\n```$", TEXT[README], re.MULTILINE)
    assert found, f"no block right after <!-- {marker} -->"
    return found[1]


def test_the_two_commands_are_one_line_each() -> None:
    assert marked("main command").endswith("fastsegmetrics demo")
    assert marked("test command").endswith("python -m pytest")
    extras = re.search(r"optional-dependencies\]\n(.*?)\n\n", (ROOT / "pyproject.toml").read_text(),
                       re.DOTALL)  # fmt: skip
    assert extras
    for marker in ("main command", "test command"):
        for extra in re.findall(r"'\.\[(\w+)\]'", marked(marker)):
            assert f"\n{extra} = " in f"\n{extras[1]}"


def test_the_speed_table_has_its_place() -> None:
    assert TEXT[README].count("<!-- speed table -->") == 1
    assert re.search(r"<!-- speed table -->\n(.+?)\n<!-- end -->", TEXT[README], re.DOTALL)


def make_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_metrics_is_up_to_date(capsys) -> None:
    assert make_docs().main(["--check"]) == 0, "run python tools/make_docs.py"


def test_an_outdated_table_of_metrics_is_told(tmp_path, monkeypatch, capsys) -> None:
    tool = make_docs()
    monkeypatch.setattr(tool, "PAGE", tmp_path / "metrics.md")
    assert tool.main(["--check"]) == 1
    assert "metrics.md" in capsys.readouterr().err
    assert tool.main([]) == 0
    assert tool.main(["--check"]) == 0


def test_the_command_and_the_table_name_the_same_metrics(capsys) -> None:
    import json

    assert main(["metrics", "--format", "json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    page = TEXT[ROOT / "docs" / "metrics.md"]
    assert set(rows) == set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    for row in rows.values():
        for told in (*row["path"].values(), row["empty"], row["citation"]):
            assert told.replace("|", "\\|") in page or told in page


@pytest.mark.parametrize("page", ALL)
def test_metrics_named_in_the_docs_exist(page: Path) -> None:
    scores = "|".join(map(re.escape, catalog.SCORES))
    for name in re.findall(rf"`((?:{scores})\.\w+)`", TEXT[page]):
        columns = {metric.column for metric in catalog.METRICS.values()}
        assert name in catalog.METRICS or name in columns, name


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", ALL)
def test_internal_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", without_fences(TEXT[page])):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", without_fences(target.read_text("utf-8")), re.M)
            assert anchor in map(slug, headings), link


@pytest.mark.parametrize("page", ALL)
def test_tables_are_whole(page: Path) -> None:
    """A row after an empty line is no row of the table above it."""
    tables = re.findall(r"(?:^\|.*\n)+", without_fences(TEXT[page]), re.MULTILINE)
    for table in tables:
        head, *rows = table.splitlines()
        n_columns = len(re.findall(r"(?<!\\)\|", head))
        assert rows, head
        assert re.fullmatch(r"(\| *:?-+:? *)+\|", rows[0]), head
        for row in rows:
            assert len(re.findall(r"(?<!\\)\|", row)) == n_columns, row


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [README]
    while waiting:
        page = waiting.pop()
        if page in reached or page not in TEXT:
            continue
        reached.add(page)
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", TEXT[page]):
            waiting.append((page.parent / link).resolve())
    assert reached == set(PAGES)


def all_tests() -> dict[str, set[str]]:
    """Names of test functions by module name."""
    found: dict[str, set[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        names = re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
        found.setdefault(path.stem, set()).update(names)
    return found


@pytest.mark.parametrize("page", ALL)
def test_tests_named_in_the_docs_exist(page: Path) -> None:
    tests = all_tests()
    for name in re.findall(r"`(test_[\w.]+)`", TEXT[page]):
        module, dot, function = name.rpartition(".")
        if dot:
            assert function in tests.get(module, ()), name
        else:
            assert name in tests or any(name in names for names in tests.values()), name


@pytest.mark.parametrize("page", ALL)
def test_files_named_in_the_docs_exist(page: Path) -> None:
    roots = (ROOT, ROOT / "fastsegmetrics")
    for name in re.findall(r"`((?:\w+/)*\w+\.(?:py|pyi|toml|txt))`", TEXT[page]):
        nested = "/" not in name and any(ROOT.rglob(name))
        assert nested or any((root / name).exists() for root in roots), name


def test_every_public_name_is_in_the_docs() -> None:
    words = set(re.findall(r"\w+", " ".join(TEXT.values())))
    assert set(fsm.__all__) - {"__version__"} <= words


def test_every_convention_and_option_is_in_the_docs() -> None:
    from fastsegmetrics.cli import cli

    everything = " ".join(TEXT.values())
    for name in Conventions().to_dict():
        assert f"`{name}" in everything, name
    conventions = {name.replace("_", "-") for name in Conventions().to_dict()}
    for option in cli.commands["evaluate"].params:
        name = max(option.opts, key=len)
        known = name.removeprefix("--") in conventions
        assert known or name in everything, name


def test_defaults_told_in_the_readme_are_the_defaults() -> None:
    table = re.search(r"^## Conventions$(.*?)^## ", TEXT[README], re.MULTILINE | re.DOTALL)
    assert table
    chosen = Conventions()
    for name in ("policy", "both_empty", "one_empty", "e_denominator", "resize", "missing"):
        assert f'"{getattr(chosen, name)}"' in table[1], name
    assert (chosen.stretch, chosen.beta2, chosen.alpha) == (True, 0.3, 0.5)
    assert (chosen.pred_scale, chosen.gt_threshold, chosen.clip) == (None, None, False)


# The rows of docs/empty_cases.md that tests/test_empty_cases.py has no test of.
SHAPE = (8, 9)
EMPTY = np.zeros(SHAPE, bool)
FULL = np.ones(SHAPE, bool)
BLOCK = EMPTY.copy()
BLOCK[2:5, 3:7] = True
SOME = np.where(BLOCK, 200, 0).astype(np.uint8)


@pytest.mark.parametrize("policy", ["published", "strict"])
def test_truth_empty_as_computed(policy) -> None:
    for score, value in (("specificity", 60 / 72), ("fpr", 12 / 72), ("accuracy", 60 / 72)):
        found = getattr(fsm, score)(SOME, EMPTY, stretch=False, policy=policy)
        assert found.bin == found.adp == value
        assert found.curve[200] == value
    # tp = fn = 0: chance is (tn + fn)(tn + tp) = 60² for the literature, 60 · 72 for Cohen.
    for score, value in (("kappa", (60 * 72 - 3600) / (72**2 - 3600)), ("cohen_kappa", 0.0)):
        found = getattr(fsm, score)(SOME, EMPTY, stretch=False, policy=policy)
        assert found.bin == pytest.approx(value, rel=1e-12)
        assert found.adp == pytest.approx(value, rel=1e-12)
        last = found.curve[255]
        assert math.isnan(last) if policy == "strict" else last == 0.0


def test_truth_empty_at_the_highest_thresholds() -> None:
    perfect = fsm.iou(SOME, EMPTY, stretch=False, policy="strict")
    assert (perfect.curve[200], perfect.curve[201], perfect.max) == (0.0, 1.0, 1.0)
    undefined = fsm.iou(SOME, EMPTY, stretch=False, policy="strict", both_empty="undefined")
    assert undefined.curve[200] == 0.0
    assert math.isnan(undefined.curve[201])
    assert math.isnan(undefined.mean)
    assert math.isnan(undefined.max)


def test_prediction_empty_adaptive() -> None:
    nothing, everything = EMPTY, FULL
    for score in ("specificity", "fpr", "accuracy", "ber"):
        kept = getattr(fsm, score)(everything, BLOCK).bin
        dropped = getattr(fsm, score)(nothing, BLOCK).bin
        assert getattr(fsm, score)(nothing, BLOCK).adp == kept
        assert getattr(fsm, score)(nothing, BLOCK, policy="strict").adp == dropped


def test_truth_full_kappa_curves() -> None:
    for score in (fsm.kappa, fsm.cohen_kappa):
        found = score(SOME, FULL, stretch=False, policy="strict")
        assert math.isnan(found.curve[0])
        assert math.isnan(found.mean)
        assert math.isnan(found.max)
        assert not math.isnan(found.bin)
