"""Numbers of things in messages."""

import pytest

from pipelines.counting import counted


@pytest.mark.parametrize(
    ("number", "nouns", "shown"),
    [
        (0, ("chunk",), "0 chunks"),
        (1, ("chunk",), "1 chunk"),
        (1200, ("chunk",), "1,200 chunks"),
        (1, ("query", "queries"), "1 query"),
        (2, ("query", "queries"), "2 queries"),
    ],
)
def test_singular_and_plural(number: int, nouns: tuple[str, ...], shown: str) -> None:
    assert counted(number, *nouns) == shown
