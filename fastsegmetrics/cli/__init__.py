"""The command line: argument parsing over the library, and what is printed.

`program` is the way in and out: the table of commands, and exit codes from exceptions.  Each
command is a module of its own (`evaluate`, `evaluate_volumes`, `show`, `inspect`, `demo`, …);
`options` holds the options that several have or that come in groups, `values` how their texts are
read, `output` what goes to standard output and into pictures, `endings` exit codes and what is said
on standard error.

Whatever computes is imported inside the commands, so that ``--help`` loads none of it.
"""

from fastsegmetrics.cli.program import cli, main

__all__ = ["cli", "main"]
