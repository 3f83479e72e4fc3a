"""Compares a manifest with a store id by id, a page at a time: neither side is ever held in memory as a whole."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from pipelines.manifest import Manifest

PAGE = 5_000
MISSING, UNKNOWN = "missing", "unknown"


@dataclass(frozen=True)
class _Ids:
    """
    Where a manifest notes what a store should hold.

    :param table: The table.
    :param column: Its column of ids.
    :param condition: Tells the rows whose documents should be there.
    :param tolerated: Tells other rows whose documents may be there; "" for none.
    """

    table: str
    column: str
    condition: str
    tolerated: str = ""

    def count(self, manifest: Manifest) -> int:
        return int(
            manifest.rows(f"SELECT count(DISTINCT {self.column}) FROM {self.table} WHERE {self.condition}")[0][0]
        )

    def among(self, manifest: Manifest, ids: list[str], condition: str) -> set[str]:
        query = f"SELECT {self.column} FROM {self.table} WHERE {self.column} IN ? AND {condition}"
        return {row[0] for row in manifest.rows(query, ids)}

    def pages(self, manifest: Manifest) -> Iterator[list[str]]:
        after = ""
        query = (
            f"SELECT DISTINCT {self.column} FROM {self.table} WHERE {self.condition} AND {self.column} > ?"
            f" ORDER BY {self.column} LIMIT ?"
        )
        while page := [row[0] for row in manifest.rows(query, after, PAGE)]:
            yield page
            after = page[-1]


_EXPECTED = {
    "keyword": _Ids("chunks", "id", "text_hash IS NOT NULL"),
    "parents": _Ids("claims", "source_id", "precedence IS NOT NULL"),
    # A vector that was written and not yet noted is no error: the next run writes it again.
    "vector": _Ids("chunks", "id", "vector_text = text_hash", "text_hash IS NOT NULL AND vector_text IS NULL"),
}


def differences(manifest: Manifest, name: str, store: Any) -> Iterator[tuple[str, list[str]]]:
    """
    Find what differs between a store and its manifest.

    What is found may be mended while the comparison goes on.

    :param manifest: The index's manifest.
    :param name: Which store: "keyword", "parents" or "vector".
    :param store: The store.
    :returns: (MISSING or UNKNOWN, some ids), in any order.
    """
    expected = _EXPECTED[name]
    wanted, known = expected.count(manifest), 0
    for page in _pages(store.each_id()):
        found = expected.among(manifest, page, expected.condition)
        known += len(found)
        if strange := set(page) - found:
            if expected.tolerated:
                strange -= expected.among(manifest, sorted(strange), expected.tolerated)
            if strange:
                yield UNKNOWN, sorted(strange)
    if known == wanted:
        return
    for page in expected.pages(manifest):
        if missing := set(page) - store.present(page):
            yield MISSING, sorted(missing)


def expected_ids(manifest: Manifest, name: str) -> Iterator[list[str]]:
    """
    All that a store should hold.

    :param manifest: The index's manifest.
    :param name: Which store.
    :returns: Pages of ids.
    """
    return _EXPECTED[name].pages(manifest)


def _pages(ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(ids)
    while page := list(islice(rest, PAGE)):
        yield page
