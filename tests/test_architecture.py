"""The house rules, each checked by reading the source."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastsegmetrics

PACKAGE = Path(fastsegmetrics.__file__).parent
ROOT = PACKAGE.parent
SOURCES = sorted(PACKAGE.rglob("*.py"))

#: Rooms from the bottom up; a room may import from those below it and from itself.
FLOORS = (
    {"errors", "arguments", "conventions", "backend", "halves"},
    {"scores"},
    {"kernels", "reference"},
    {"represent", "represent_labels"},
    {"target"},
    {"statistics"},
    {"protocol"},
    {"catalog"},
    {"families"},
    {"plan"},
    {"strata"},
    {"results", "evaluate", "functional"},
    {"io", "reporting", "compat"},
    {"bulk"},
    {"warmup"},
    {"cli", "__main__"},
)
FLOOR = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}

#: Where a heavy dependency may be imported: rooms, and whether only inside functions.
OWNERS = {
    "numba": ({"kernels"}, False),
    "cv2": ({"io"}, True),
    "matplotlib": ({"reporting"}, True),
    "pandas": ({"results"}, True),
    "nibabel": ({"io"}, True),
    # Its statistics, where a p value is asked for.
    "scipy": ({"reference", "reporting", "compat"}, True),
}


FORBIDDEN = (
    r"parallel\s*=\s*True",
    r"fastmath\s*=\s*True",
    r"\bprange\b",
    r"guvectorize",
    r"setNumThreads",
    r"set_num_threads",
    r"np\.seterr\(",
    r"simplefilter",
)

NAMELESS = {"utils", "util", "core", "common", "helpers", "misc"}


def room_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(tree: ast.AST) -> list[tuple[str, ast.stmt]]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module == "fastsegmetrics":
                names = [f"fastsegmetrics.{alias.name}" for alias in node.names]
            found += [(name, node) for name in names]
    return found


def typing_only(tree: ast.AST) -> set[ast.stmt]:
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in node.body
    }


def each(path: Path):
    return pytest.param(path, id=str(path.relative_to(PACKAGE)))


ALL = [each(path) for path in SOURCES]


@pytest.mark.parametrize("path", ALL)
def test_imports_go_down(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        return
    tree = ast.parse(path.read_text("utf-8"))
    room = room_of(path)
    assert room in FLOOR, f"{room} has no floor"
    ignored = typing_only(tree)
    for name, node in imports(tree):
        if name.startswith("fastsegmetrics.") and node not in ignored:
            other = name.split(".")[1]
            if other == "__version__":
                continue
            below = FLOOR[other] < FLOOR[room] or other == room
            same_floor = FLOOR[other] == FLOOR[room] and room not in ("kernels", "reference")
            assert below or same_floor, f"{path.name}: {room} imports {other}"


@pytest.mark.parametrize("path", ALL)
def test_heavy_dependencies_stay_in_their_rooms(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    top_level = set(tree.body)
    for name, node in imports(tree):
        package = name.split(".")[0]
        if package not in OWNERS or node in typing_only(tree):
            continue
        rooms, inside_only = OWNERS[package]
        assert room_of(path) in rooms, f"{package} in {path.name}"
        at_top = inside_only and package != "cv2" and node in top_level
        assert not at_top, f"{package} at top level"


@pytest.mark.parametrize("path", ALL)
def test_sizes_and_names(path: Path) -> None:
    text = path.read_text("utf-8")
    assert text.count("\n") <= 500
    # The modules of `compat` have the names that users of the peers import.
    named_by_peers = room_of(path) == "compat"
    assert named_by_peers or path.stem not in NAMELESS
    limit = 120
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < limit, node.name


@pytest.mark.parametrize("path", ALL)
def test_forbidden_words(path: Path) -> None:
    text = path.read_text("utf-8")
    for word in FORBIDDEN:
        assert not re.search(word, text), word
    if room_of(path) not in ("cli", "bulk", "reporting"):
        assert not re.search(r"(?<![\w.])print\(", text)


@pytest.mark.parametrize("path", [each(p) for p in SOURCES if room_of(p) == "scores"])
def test_scores_see_no_pixels(path: Path) -> None:
    for name, _ in imports(ast.parse(path.read_text("utf-8"))):
        if not name.startswith(
            ("fastsegmetrics.scores", "__future__", "typing", "math", "collections.abc")
        ):
            # Only the names of its arrays' types.
            assert name.startswith("fastsegmetrics.statistics"), name


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in done.stdout.split()}


HEAVY = {"numba", "cv2", "scipy", "matplotlib", "pandas", "nibabel", "dask", "numpy"}


def test_importing_loads_nothing_heavy() -> None:
    assert not loaded_by("import fastsegmetrics") & HEAVY


def test_help_loads_nothing_heavy() -> None:
    code = (
        "from fastsegmetrics.cli import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    try: main(['--help'])\n"
        "    except SystemExit: pass\n"
    )
    assert not loaded_by(code) & (HEAVY - {"numpy"})


def test_computing_on_arrays_needs_neither_opencv_nor_scipy() -> None:
    code = (
        "import numpy as np, fastsegmetrics as fsm\n"
        "fsm.mae(np.array([[True, False]]), np.array([[True, True]]))\n"
    )
    assert not loaded_by(code) & (HEAVY - {"numpy", "numba", "scipy"})


def test_stub_declares_what_the_package_exports() -> None:
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text("utf-8"))
    declared = {"__version__"}
    for node in stub.body:
        if isinstance(node, ast.ImportFrom):
            declared |= {alias.asname or alias.name for alias in node.names}
    assert declared == set(fastsegmetrics.__all__)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_kernels_have_few_specialisations() -> None:
    """And warmup compiles them all.  In a fresh process, since other tests call kernels with arrays
    of other kinds."""
    code = """
import importlib, pkgutil
import numpy as np
import fastsegmetrics as fsm, fastsegmetrics.kernels as kernels
from fastsegmetrics.warmup import warm_up

def compiled():
    return {
        (room.name, name): set(getattr(kernel, "signatures", ()))
        for room in pkgutil.iter_modules(kernels.__path__)
        for name, kernel in vars(
            importlib.import_module(f"{kernels.__name__}.{room.name}")
        ).items()
    }

warm_up()
warm = compiled()
for kernel, found in warm.items():
    # Label images are read in their own four widths, contexts of two kinds of maps summed in two
    # precisions; all else comes in two kinds.
    many = kernel[0] in ("_correlation", "_gains", "borders", "contingency", "tiles")
    assert len(found) <= (4 if many else 2), (kernel, found)

noise = np.random.RandomState(1).random_sample
rows, columns = np.indices((75, 131))
truth = ((rows - 30) ** 2 + (columns - 40) ** 2 < 300) | (abs(rows - columns // 2) < 3)
soft = np.clip(0.6 * np.roll(truth, 4, 0) + 0.4 * noise(truth.shape), 0, 1)
photo = np.uint8(255 * noise((*truth.shape, 3)))
for pred in (np.uint8(255 * soft), np.float32(soft), soft, soft > 0.5, np.zeros_like(soft)):
    for metrics, image in (("all", None), ("photo", photo), ("mae", None), ("surface", None)):
        evaluator = fsm.Evaluator(metrics, backend="compiled")
        evaluator.update(pred, truth, image=image)
        evaluator.result()
volume, other = noise((2, 9, 21, 70)) > 0.4
volume[:, 5:], other[:, :3] = False, False
for spacing in (1, (3, 0.7, 0.7)):
    fsm.surface_distances(volume, other, spacing=spacing)
    fsm.surface_distances(volume, other, spacing=spacing, surface="elements")
fsm.overlap(volume, other)
fsm.cl_dice(volume, other)
fsm.boundary_iou(volume, other)
fsm.label_overlap(np.uint8(volume), np.uint8(other), labels=2)
new = {kernel: found - warm[kernel] for kernel, found in compiled().items()}
assert not any(new.values()), {kernel: found for kernel, found in new.items() if found}
"""
    subprocess.run([sys.executable, "-c", code], check=True)
