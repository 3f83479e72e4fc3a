"""The arguments of search_mpep: what is allowed, and the filters that they mean."""

import unicodedata
from typing import Any

from pipelines.errors import ArgumentError

SOURCES = ("MPEP", "35_USC", "37_CFR", "SUBSEQUENT")
_MIN_QUERY, _MAX_QUERY = 3, 10_000


def check_query(query: str) -> str:
    """
    The query without surrounding blanks.

    :raises ArgumentError: When it is shorter than 3 or longer than 10,000 characters, or none of them can be seen.
    """
    allowed = f"a text of {_MIN_QUERY} to {_MAX_QUERY:,} characters, not counting blanks around it"
    if not isinstance(query, str):
        raise ArgumentError("query", query, allowed)
    stripped = cleaned(query).strip()
    if not _MIN_QUERY <= len(stripped) <= _MAX_QUERY or not is_visible(stripped):
        raise ArgumentError("query", cleaned(query), allowed)
    return stripped


def is_visible(text: str) -> bool:
    """Whether a text has a character that shows: more than blanks, controls, joiners and selectors."""
    return any(unicodedata.category(char)[0] in "LNPS" for char in text)


def check_count(argument: str, value: int, most: int) -> int:
    """
    :raises ArgumentError: When `value` is no integer of 1 or more. What is above `most` is the caller's to cut.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(argument, value, f"an integer from 1 to {most:,}")
    return value


def build_filters(
    source: str | None, is_statute: bool | None, is_regulation: bool | None, is_update: bool | None
) -> dict[str, Any] | None:
    """
    The arguments of search_mpep as Haystack filters; None when none is given.

    :raises ArgumentError: When `source` is unknown or a flag is no boolean.
    """
    conditions: list[dict[str, Any]] = []
    if source is not None:
        if source not in SOURCES:
            raise ArgumentError("source_filter", source, "one of " + ", ".join(SOURCES))
        conditions.append({"field": "meta.source", "operator": "==", "value": source})
    flags = {"is_statute": is_statute, "is_regulation": is_regulation, "is_update": is_update}
    for name, value in flags.items():
        if value is None:
            continue
        if not isinstance(value, bool):
            raise ArgumentError(name, value, "true or false")
        conditions.append({"field": f"meta.{name}", "operator": "==", "value": value})
    if len(conditions) < 2:
        return conditions[0] if conditions else None
    return {"operator": "AND", "conditions": conditions}


def cleaned(text: str) -> str:
    """
    The text without invisible characters, such as joiners and soft hyphens that come along when it is copied.

    >>> cleaned("608.01\u200b(o)")
    '608.01(o)'
    """
    return "".join(char for char in encodable(text) if unicodedata.category(char) != "Cf")


def encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON can carry but neither a store nor an answer can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
