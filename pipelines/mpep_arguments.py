"""The arguments of search_mpep and get_mpep_section: what is allowed, and the filters that they mean."""

import re
from typing import Any

from components.analysis.legal_citations import bare_readings, find_citations
from pipelines.errors import ArgumentError

SOURCES = ("MPEP", "35_USC", "37_CFR", "SUBSEQUENT")
SECTION_FORMS = (
    'a section number such as "608.01(o)", "MPEP 2106.04(a)(2)", "2100" (a chapter), "35 U.S.C. 112", "37 CFR 1.131" '
    'or "¶ 7.05.01"'
)
_PRE_AIA = re.compile(r"^pre[-‐‑–]aia$", re.IGNORECASE)
_PRE_AIA_BESIDE = re.compile(r"^pre[-‐‑–]AIA\s+(?=\S)|(?<=\S),?\s+pre[-‐‑–]AIA$", re.IGNORECASE)
_MIN_QUERY, _MAX_QUERY = 3, 10_000
_LONGEST_NUMBER = 200
_VARIANT = re.compile(
    r"\s*\(((?:pre[-‐‑–]AIA|note|transitional|pre-\d)[^)]*|[^)]*\d{4}-\d\d-\d\d[^)]*)\)\s*$", re.IGNORECASE
)


def check_query(query: str) -> str:
    """
    The query without surrounding blanks.

    :raises ArgumentError: When it is shorter than 3 or longer than 10,000 characters.
    """
    allowed = f"a text of {_MIN_QUERY} to {_MAX_QUERY:,} characters, not counting blanks around it"
    if not isinstance(query, str):
        raise ArgumentError("query", query, allowed)
    query = _encodable(query).strip()
    if not _MIN_QUERY <= len(query) <= _MAX_QUERY:
        raise ArgumentError("query", query, allowed)
    return query


def check_count(argument: str, value: int) -> int:
    """
    :raises ArgumentError: When `value` is no integer of 1 or more.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ArgumentError(argument, value, "an integer of 1 or more")
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


def read_section_number(text: str) -> tuple[list[str], list[dict[str, Any]]]:
    """
    Filters for the things that a section number can mean, likeliest first; last, what is printed exactly so.

    >>> read_section_number("§ 2106")[0]
    ['mpep:2106', 'usc:35:2106']

    :param text: The number as typed, with a variant if need be: "35 U.S.C. 102 (pre-AIA)", "pre-AIA 35 U.S.C. 102".
    :returns: The canonical identifiers, and the filters.
    :raises ArgumentError: When the text is empty or too long for a number.
    """
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST_NUMBER:
        raise ArgumentError("section_number", text, SECTION_FORMS)
    text = " ".join(_encodable(text).split())
    number, variant = text, ""
    if match := _VARIANT.search(text):
        number, variant = text[: match.start()].strip(), _PRE_AIA.sub("pre-AIA", match.group(1))
    elif _PRE_AIA_BESIDE.search(text):
        number, variant = _PRE_AIA_BESIDE.sub("", text), "pre-AIA"
    number = re.sub(r"^chapter\s+", "MPEP chapter ", number.strip("\"'“”").removesuffix("."), flags=re.IGNORECASE)
    bare = bare_readings(number)
    names = list(dict.fromkeys(bare or [found.canonical for found in find_citations(number)][:1]))
    filters = [found for name in names for found in _named(name, variant)]
    printed = [{"field": f"meta.{field}", "operator": "==", "value": text} for field in ("section", "title")]
    filters.append({"operator": "OR", "conditions": printed})
    return names, filters


def _encodable(text: str) -> str:
    """The text without halves of surrogate pairs, which JSON can carry but neither a store nor an answer can."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _named(name: str, variant: str) -> list[dict[str, Any]]:
    scheme, _, number = name.rpartition(":")
    if scheme == "mpep":
        hundred = [f"mpep:c{number}"] if number.isdigit() and number.endswith("00") else []
        return [_contains("within", [name, *hundred])]
    condition = _contains("self_ids", [name])
    if scheme == "fp":
        return [condition]
    # The text in force, unless a variant is asked for or there is nothing else: former law is never mixed into it.
    wanted = {"field": "meta.variant", "operator": "==", "value": variant}
    in_force = {"operator": "AND", "conditions": [condition, wanted]}
    return [in_force] if variant else [in_force, condition]


def _contains(field: str, values: list[str]) -> dict[str, Any]:
    return {"field": f"meta.{field}", "operator": "in", "value": values}
