"""``fastsegmetrics evaluate-volumes``: folders of predicted label volumes against one of truths."""

from __future__ import annotations

from typing import Any

import click

from fastsegmetrics.cli import options, values
from fastsegmetrics.cli.endings import DONE, DONE_WITH_SKIPPED, say
from fastsegmetrics.cli.options import option
from fastsegmetrics.cli.output import print_volumes

_FILES, _MEASURED = "Files", "What is measured"


@click.command("evaluate-volumes", cls=options.SectionedCommand)
@options.truths(_FILES)
@options.predictions(_FILES)
@options.run_directory(_FILES)
@option(
    "--labels",
    section=_MEASURED,
    required=True,
    type=values.Numbers(int, "N or LABEL,LABEL"),
    help="Every label that a volume may hold: N for 0 to N − 1, or the labels themselves.",
)
@option(
    "--background",
    section=_MEASURED,
    type=int,
    metavar="LABEL",
    help="The label of what is no structure; it is told nowhere.",
)
@option(
    "--ignore-label",
    section=_MEASURED,
    type=int,
    metavar="LABEL",
    help="Voxels of this label in the truth are left out; needs --no-surfaces.",
)
@option(
    "--surfaces/--no-surfaces",
    section=_MEASURED,
    default=True,
    show_default=True,
    help="HD, HD95 and ASSD.",
)
@option(
    "--surface",
    section=_MEASURED,
    type=click.Choice(["voxels", "elements"]),
    default="voxels",
    show_default=True,
    help="What surfaces are made of: voxels that count alike, or elements by their area.",
)
@option(
    "--hd95",
    section=_MEASURED,
    type=click.Choice(["max", "pooled", "mean", "inverse_cdf"]),
    help="Its convention: the larger of both directions' percentiles, that of all distances in one "
    "list, the mean of both, or the larger without interpolation [default: max, of elements "
    "inverse_cdf].",
)
@option(
    "--one-empty",
    section=_MEASURED,
    type=click.Choice(["infinite", "diagonal"]),
    default="infinite",
    show_default=True,
    help="Distances where only one volume has the label: infinite, counted and in no mean, or the "
    "volume's diagonal.",
)
@option(
    "--both-empty",
    section=_MEASURED,
    type=click.Choice(["undefined", "perfect"]),
    default="undefined",
    show_default=True,
    help="A label that a case has in neither volume: counted and in no mean, or overlap 1 and "
    "distances 0.",
)
@option(
    "--tolerance",
    section=_MEASURED,
    type=float,
    metavar="X",
    help="Of the normalised surface distance, in the unit of the spacing.",
)
@option(
    "--spacing",
    section=_MEASURED,
    type=values.Numbers(float, "X or X,X,X"),
    help="For files that do not say theirs, in the order of the axes; with --unit. Distances of "
    "all cases must be in one unit.",
)
@option("--unit", section=_MEASURED, metavar="NAME", help="What the spacing is in, as mm.")
@options.unit_of(_MEASURED)
@option(
    "--strata",
    section=_MEASURED,
    type=values.StrataOfVolumes(),
    help="Tell everything of each stratum of the cases too, by a column of a table of them.",
)
@option(
    "--missing",
    section=_MEASURED,
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="A ground truth without a prediction: stop before anything is read, or leave it out.",
)
@options.workers(_MEASURED, "the two volumes of a case", 1)
@options.volume_names
@options.printed_form
def evaluate_volumes(
    gt: str,
    preds: tuple[tuple[str, str], ...],
    unit_of: tuple[str, str] | None,
    strata: tuple[str, str] | None,
    form: str,
    digits: int,
    out: str | None,
    **choices: Any,
) -> int:
    """Evaluate folders of label volumes (.nii, .nii.gz, .npy, .npz) against a folder of truths.

    Files are paired by name without extension and must lie on one grid. Exit codes: 0 done, 1 done
    with truths left out, 2 bad input.
    """
    from fastsegmetrics.bulk.volume_methods import evaluate_volume_methods
    from fastsegmetrics.strata import Strata

    folders = values.unique_folders(preds)
    if choices["surfaces"]:
        if choices["ignore_label"] is not None:
            raise click.UsageError("--ignore-label would cut surfaces: it needs --no-surfaces")
    else:
        asked = {"tolerance": None, "surface": "voxels", "hd95": None, "one_empty": "infinite"}
        for name, default in asked.items():
            if choices[name] != default:
                words = name.replace("_", "-")
                raise click.UsageError(f"--{words} is one of surfaces: leave out --no-surfaces")
    units, unit_name = values.units_by(unit_of)
    runs = evaluate_volume_methods(
        gt, folders, out=out, unit_of=units, unit_name=unit_name,
        strata=None if strata is None else Strata.column(*strata), **choices,
    )  # fmt: skip
    print_volumes(runs, form, digits)
    for method, run in runs.items():
        if run.missing:
            say(f"left out, missing in {method} ({len(run.missing):,}): {', '.join(run.missing)}")
        if run.extra:
            say(f"without truth in {method}, ignored ({len(run.extra):,}): {', '.join(run.extra)}")
    if out is not None:
        again = ", which held this run already and was measured again" if runs.replaced else ""
        say(f"values of each case, means and contract are in {out}{again}")
    return DONE if runs.complete else DONE_WITH_SKIPPED
