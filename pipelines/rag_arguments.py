"""The arguments of a search over company documents: what is allowed."""

import json
from collections.abc import Mapping
from typing import Any

from haystack.errors import FilterError

from components.analysis.language_detector import LANGUAGES
from components.stores.filters import parse_filters
from pipelines.errors import ArgumentError
from pipelines.mpep_arguments import encodable, is_visible

MOST_RESULTS = 50
_MIN_QUERY, _MAX_QUERY = 2, 10_000


class QueryLengthError(ArgumentError):
    """A query is too short or too long."""

    def __init__(self, query: str):
        is_short = len(query) < _MIN_QUERY or not is_visible(query)
        super().__init__("query", query, f"a text of {_MIN_QUERY} to {_MAX_QUERY:,} characters")
        limit = f"too short (min {_MIN_QUERY}" if is_short else f"too long (max {_MAX_QUERY:,}"
        self.args = (f"Query is {limit} characters)",)


def check_query(query: Any) -> str:
    """
    The query without surrounding blanks.

    :raises ArgumentError: When it is no text, shorter than 2 or longer than 10,000 characters, or can't be seen.
    """
    if not isinstance(query, str):
        raise ArgumentError("query", query, "a text")
    query = encodable(query).strip()
    if not _MIN_QUERY <= len(query) <= _MAX_QUERY or not is_visible(query):
        raise QueryLengthError(query)
    return query


def check_top_k(top_k: Any) -> int:
    """
    :raises ArgumentError: When it is no integer of 1 to 50.
    """
    if isinstance(top_k, bool) or not isinstance(top_k, int) or not 1 <= top_k <= MOST_RESULTS:
        raise ArgumentError("top_k", top_k, f"an integer from 1 to {MOST_RESULTS}")
    return top_k


def check_language(language: Any) -> str:
    """
    :raises ArgumentError: When it is neither "auto" nor a language that is known.
    """
    if language not in ("auto", *LANGUAGES):
        raise ArgumentError("language", language, f"one of auto, {', '.join(LANGUAGES)}")
    return str(language)


def check_filters(filters: Any, fields: list[str]) -> dict[str, Any] | None:
    """
    Filters in Haystack's form, whose fields are all in the index.

    :param filters: As they came.
    :param fields: The meta fields that can be filtered by.
    :returns: The filters; None for none.
    :raises ArgumentError: When they are malformed or name another field.
    """
    if not filters:
        return None
    if not isinstance(filters, Mapping):
        raise ArgumentError("filters", filters, "an object in Haystack's form: field, operator, value")
    try:
        parse_filters(filters)
        json.dumps(filters, ensure_ascii=False, default=str).encode()
    except FilterError as error:
        raise FilterArgumentError(filters, str(error)) from error
    except UnicodeEncodeError as error:
        raise FilterArgumentError(filters, "a text holds half of a surrogate pair") from error
    for field in _fields(filters):
        if field.removeprefix("meta.") not in (*fields, "id") or not field.startswith(("meta.", "id")):
            allowed = ", ".join(f"meta.{name}" for name in fields)
            raise FilterArgumentError(filters, f"there is no field {field!r} to filter by; there are: id, {allowed}")
    return dict(filters)


class FilterArgumentError(ArgumentError):
    """Filters are malformed."""

    def __init__(self, filters: Any, reason: str):
        super().__init__("filters", filters, "filters in Haystack's form")
        self.args = (f"filters: {reason}",)


def _fields(filters: Mapping[str, Any]) -> list[str]:
    if "conditions" in filters:
        return [field for condition in filters["conditions"] for field in _fields(condition)]
    return [str(filters.get("field", ""))]


def check_user(user_id: Any) -> str:
    """
    The user's name without blanks around it.

    :raises ArgumentError: When it is no text, too long, or holds characters that can't be seen.
    """
    from memory_components.errors import MemoryInputError
    from memory_components.names import checked_name

    try:
        return checked_name("user_id", user_id)
    except (MemoryInputError, AttributeError) as error:
        allowed = "a name of 256 characters at most, without any that can't be seen"
        raise ArgumentError("user_id", user_id, allowed) from error
