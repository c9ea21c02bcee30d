"""``fastsegmetrics warmup``: compile the kernels ahead of time."""

from __future__ import annotations

import click

from fastsegmetrics.cli.endings import DONE


@click.command()
@click.option("--quiet", is_flag=True, help="Say nothing on standard error while it runs.")
def warmup(quiet: bool) -> int:
    """Compile the kernels and keep them, so that later runs start at once."""
    from fastsegmetrics.warmup import kept_in, warm_up

    done = warm_up(None if quiet else lambda part: click.echo(f"compiling: {part}", err=True))
    click.echo(f"kernels ready in {done.seconds:.1f} s; {kept_in(done.cache)}")
    return DONE
