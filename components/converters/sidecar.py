"""Metadata of company documents: what sidecars, front matter and records may say, checked."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any

import yaml

FIELDS = ("id", "title", "author", "project_id", "updated_at", "department", "access_groups", "language", "encoding")
# What the index itself writes into a document's metadata.
RESERVED = frozenset(
    [
        *("source_id", "origin", "file", "kind_of_source", "corpus_version", "precedence", "sidecar", "breadcrumb"),
        *("text", "content", "blocks", "span", "ordinal", "order", "page", "label", "kind", "headings", "heading_path"),
        "index",
    ]
)
_DASHES = re.compile("[‐‑‒–—―−﹣－ー]")
_LONGEST = 500
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})")


class MetadataError(ValueError):
    """
    Metadata can't be used; the message says which field, why, and what is allowed.

    :param field: The field's name; empty when it is about the whole.
    """

    def __init__(self, field: str, fault: str):
        self.field = field
        super().__init__(f"{field!r} {fault}" if field else fault)


def read_sidecar(text: str) -> dict[str, Any]:
    """
    Read the metadata that stands beside a document in a YAML file, or as front matter in it.

    ```python
    read_sidecar("project_id: EV-2024-001\\naccess_groups: [人事部]")["access_groups"]  # ["人事部"]
    ```

    :param text: YAML that holds a mapping.
    :returns: The checked fields.
    :raises MetadataError: When it isn't such YAML, or a field is wrong; the message begins with the line.
    """
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "it can't be read"
        raise MetadataError("", f"line {mark.line + 1 if mark else 1}: not valid YAML: {problem}") from error
    except ValueError as error:  # a date that there isn't
        raise MetadataError("", f"not valid YAML: {error}") from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not isinstance(node, yaml.MappingNode):
        raise MetadataError("", "line 1: fields with values are expected, such as `department: 人事部`")
    lines = {str(key.value): key.start_mark.line + 1 for key, _ in node.value}
    try:
        return checked_metadata(data)
    except MetadataError as error:
        raise MetadataError("", f"line {lines.get(error.field, 1)}: {error}") from error


def checked_metadata(given: Mapping[Any, Any]) -> dict[str, Any]:
    """
    Check metadata that was written by people.

    :param given: Fields with their values; beside `FIELDS` any name with a string, number, truth value or list of
        strings, unless it is nearly one of `FIELDS`: a misspelt `access_groups` would open a document to everybody.
    :returns: The fields in the form that the index has: strings in NFC, dates as ISO 8601, access groups as a list,
        project numbers in half-width capitals with hyphens.
    :raises MetadataError: When a field is wrong.
    """
    found = {}
    for name, value in given.items():
        if not isinstance(name, str) or not name.strip():
            raise MetadataError(str(name), "is no name for a field")
        if value is None:
            continue
        if name in RESERVED:
            raise MetadataError(name, "is a field that the index writes itself; give it another name")
        found[name] = _CHECKS[name](name, value) if name in _CHECKS else _extra(name, value)
    return found


def project_number(text: str) -> str:
    """
    A project number in the form that the index has.

    >>> project_number("ｅｖ‐２０２４‐００１")
    'EV-2024-001'

    :param text: The number as someone wrote it.
    :returns: Half-width capitals and hyphens.
    """
    return unicodedata.normalize("NFKC", _DASHES.sub("-", text)).strip().upper()


def _string(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise MetadataError(name, f"must be a text, not {value!r}")
    text = unicodedata.normalize("NFC", str(value)).strip()
    if not text or len(text) > _LONGEST:
        raise MetadataError(name, f"must have 1 to {_LONGEST} characters")
    return text


def _project(name: str, value: Any) -> str:
    return project_number(_string(name, value))


def _date(name: str, value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    text = _string(name, value)
    if match := _DATE.fullmatch(text):
        text = f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}"
    try:
        datetime.fromisoformat(text)
    except ValueError as error:
        raise MetadataError(
            name, f"must be a date such as 2026-05-20 or 2026-05-20T09:00+09:00, not {text!r}"
        ) from error
    return text


def _groups(name: str, value: Any) -> list[str]:
    groups = value if isinstance(value, list) else [value]
    if not groups:
        raise MetadataError(name, "must name a group; leave it out for a document that is open to everybody")
    return [_string(name, group) for group in groups]


def _extra(name: str, value: Any) -> Any:
    if near := get_close_matches(name, FIELDS, n=1, cutoff=0.75):
        raise MetadataError(name, f"is unknown; write {near[0]!r}")
    if isinstance(value, str) and not value.strip():
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool | int | float):
        return value
    return [_string(name, item) for item in value] if isinstance(value, list) else _string(name, value)


_CHECKS = dict.fromkeys(FIELDS, _string) | {"project_id": _project, "updated_at": _date, "access_groups": _groups}
