"""Drop-in classes for users of other metric packages, one module per package.

A module here has the names, arguments and results of the package it is named after and returns
that package's number wherever it returns a finite one.  ``docs/differences.md`` lists the rest.
"""
