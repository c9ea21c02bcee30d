"""Where the files of a run lay, kept in its store so that they can be looked at again."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastsegmetrics.bulk.pairs import PairList, pair
from fastsegmetrics.bulk.store import RunStore
from fastsegmetrics.errors import InputError
from fastsegmetrics.io import SUFFIXES, printable

_KEY = "sources"


@dataclass(frozen=True)
class Sources:
    """The folders of a run and how their files are paired.

    Attributes
    ----------
    gt : str
    preds : mapping of str to str
        By method.
    image : str or None
        The folder of the photographs, if one was named.
    names : mapping of str to str
        The parts of file names to leave off, by their arguments' names.
    """

    gt: str
    preds: Mapping[str, str]
    image: str | None
    names: Mapping[str, Any]

    @classmethod
    def named(
        cls,
        gt: str | Path,
        preds: Mapping[str, str | Path],
        image: str | Path | None,
        names: Mapping[str, str],
    ) -> Sources:
        """Return the sources with folders that do not hang on the current one."""
        methods = {method: os.path.abspath(folder) for method, folder in preds.items()}
        photographs = None if image is None else os.path.abspath(image)
        return cls(os.path.abspath(gt), methods, photographs, dict(names))

    @classmethod
    def stored(cls, store: RunStore) -> Sources:
        """Return the sources of a stored run, as it was last called.

        Raises
        ------
        InputError
            The run was made before stores held them.
        """
        found = store.setting(_KEY)
        if found is None:
            raise InputError(
                f"{printable(store.directory)}: does not say where its files lie; the `evaluate` "
                f"command that made it, run again, adds that"
            )
        return cls(**found)

    def record(self, store: RunStore) -> None:
        """Keep the sources in the store; a finished run that is called again is not written."""
        told = dataclasses.asdict(self)
        if store.setting(_KEY) != told:
            store.set(_KEY, told)

    def pairs(self, suffixes: tuple[str, ...] = SUFFIXES) -> PairList:
        """Pair the files as the run did, with the photographs if there are any."""
        return pair(
            self.gt, self.preds, image_root=self.image, suffixes=suffixes, **self.names
        )  # fmt: skip
