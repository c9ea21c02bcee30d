"""``fastsegmetrics protocols``: metrics as paths through five stages."""

from __future__ import annotations

import click

from fastsegmetrics.cli import options
from fastsegmetrics.cli.endings import DONE
from fastsegmetrics.cli.output import print_json


@click.group(invoke_without_command=True)
@click.pass_context
def protocols(context: click.Context) -> int:
    """List the metrics as paths through five stages, show one, or compare two.

    A protocol is the name of a metric, a short text, FILE.toml or FILE.toml:NAME.
    """
    if context.invoked_subcommand is None:
        from fastsegmetrics.catalog import METRICS
        from fastsegmetrics.reporting import protocols as written

        known = {name: row.protocol for name, row in METRICS.items() if row.protocol is not None}
        click.echo(written.overview(known), nl=False)
    return DONE


@protocols.command()
@click.argument("names", metavar="PROTOCOL...", nargs=-1, required=True)
@options.form("text", "json", "toml", "mermaid")
def show(names: tuple[str, ...], form: str) -> int:
    """Show protocols stage by stage, with the design paper's identifiers."""
    import shutil

    from fastsegmetrics.bulk.requests import named, requested
    from fastsegmetrics.reporting import protocols as written

    found = {name: one for text in names for name, one in named(text).items()}
    if form == "json":
        told = written.to_dicts(found)
        print_json(told)
    elif form == "toml":
        click.echo("\n".join(one.to_toml(name) for name, one in found.items()), nl=False)
    elif form == "mermaid":
        click.echo(written.picture(requested(None, names)), nl=False)
    else:
        width = min(shutil.get_terminal_size((100, 24)).columns, 120)
        blocks = (written.full(name, one, width) for name, one in found.items())
        click.echo("\n".join(blocks), nl=False)
    return DONE


@protocols.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
def diff(first: str, second: str) -> int:
    """Tell in which stages two protocols differ."""
    from fastsegmetrics.bulk.requests import one
    from fastsegmetrics.reporting import protocols as written

    (name, protocol), (other_name, other) = one(first), one(second)
    click.echo(written.difference((name, other_name), (protocol, other)), nl=False)
    return DONE
