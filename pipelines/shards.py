"""Splits the sources of a corpus among several runs."""

import hashlib
import re
from dataclasses import dataclass

from pipelines.errors import ArgumentError
from pipelines.loading import Definition
from pipelines.settings import Settings

_FORM = "i/n with i from 0 to n - 1, for example 0/4"
_MOST = 1000


@dataclass(frozen=True)
class Shard:
    """
    One of several equal parts of all files; an archive belongs to one part as a whole.

    Usage example:
    ```python
    [shard.owns("law/usc35.xml") for shard in (Shard(0, 2), Shard(1, 2))]  # [False, True]
    ```

    :param number: Which part, from 0.
    :param count: How many parts there are.
    """

    number: int
    count: int

    @classmethod
    def read(cls, text: str) -> "Shard":
        """
        Read what `--shard` takes.

        :param text: "0/4".
        :returns: The part.
        :raises ArgumentError: When it is none.
        """
        found = re.fullmatch(r"(\d{1,4})/(\d{1,4})", text)
        number, count = (int(found[1]), int(found[2])) if found else (0, 0)
        if not number < count <= _MOST:
            raise ArgumentError("--shard", text, _FORM)
        return cls(number, count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    def owns(self, key: str) -> bool:
        """Whether a file, or a source in it, belongs to the part; on every machine the same."""
        file = key.partition("!")[0]
        return int.from_bytes(hashlib.blake2b(file.encode(), digest_size=8).digest()) % self.count == self.number


WHOLE = Shard(0, 1)
"""All sources."""


def check_shard(shard: Shard, settings: Settings, definition: Definition, prune: bool) -> None:
    """
    Refuse a part of the sources where no other run could be at work beside.

    :param shard: The part.
    :param settings: Where the manifest is.
    :param definition: The resolved indexing pipeline.
    :param prune: Whether sources outside the paths leave the index.
    :raises ArgumentError: When the manifest or a store has one writer only, or when the run is about all sources.
    """
    if shard == WHOLE:
        return
    if prune:
        raise ArgumentError("--shard", str(shard), "used without --prune, which is about all sources")
    if settings.database_url is None:
        raise ArgumentError(
            "--shard", str(shard), "used with TANSAKU_DATABASE_URL: a manifest in a file has one writer"
        )
    for name, component in definition["components"].items():
        store = (component.get("init_parameters") or {}).get("document_store") or {}
        if "path" in (store.get("init_parameters") or {}):
            raise ArgumentError("--shard", str(shard), f"used with stores on servers: that of {name} has one writer")
