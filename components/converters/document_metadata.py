"""Completes the metadata of company documents from their sidecars and paths."""

import re
import unicodedata
from dataclasses import replace
from typing import Any

from haystack import Document, component

from components.converters.record import clean
from components.converters.sidecar import FIELDS, MetadataError, checked_metadata, read_sidecar

DEPARTMENT = r"^[^/]+/(?P<department>[^/]+)/"
"""The first folder below the one that is indexed."""
PROJECT = r"(?<![A-Za-z0-9])(?P<project_id>[A-Za-z]{2,5}-\d{4}-\d{3})(?!\d)[^/]*$"
"""A number such as EV-2024-001 in the file's name."""


@component
class DocumentMetadata:
    """
    Adds project number, department, date, author and access groups to documents.

    What the path says counts least, then what the document says about itself, then its sidecar; for a file of many
    records the sidecar is what they have in common, and each record's own fields count more. A document whose
    sidecar can't be read is left out, since it may be there to close the document to some.

    Usage example:
    ```python
    origin = "docs/人事部/EV-2024-001_計画.md"
    document = Document(id=origin, content="計画", meta={"origin": origin})
    meta = DocumentMetadata().run(documents=[document])["documents"][0].meta
    assert (meta["department"], meta["project_id"]) == ("人事部", "EV-2024-001")
    ```
    """

    def __init__(self, path_patterns: list[str] | None = None):
        """
        :param path_patterns: Regular expressions that are searched in a document's path ("folder/file.md", NFKC); their
            named groups are fields: project_id, department, updated_at, author, access_groups. For each field the
            first one that fits counts. By default `DEPARTMENT` and `PROJECT`.
        :raises ValueError: If one is no regular expression, or names an unknown field or none.
        """
        self.path_patterns = path_patterns
        self._patterns = [_compiled(pattern) for pattern in path_patterns or (DEPARTMENT, PROJECT)]

    @component.output_types(documents=list[Document], failures=list[dict[str, str]])
    def run(self, documents: list[Document]) -> dict[str, Any]:
        """
        Complete the metadata.

        :param documents: Documents from the converters, with "origin" and "sidecar" (YAML, may be empty) in their meta.
        :returns: `documents` with project_id, department and updated_at where they are known, access_groups (an empty
            list for a document that is open to everybody) and breadcrumb; `failures`, one a bad sidecar.
        """
        completed: list[Document] = []
        failures: list[dict[str, str]] = []
        broken: set[str] = set()
        for document in documents:
            origin = str(document.meta.get("origin", ""))
            try:
                completed.append(self._complete(document, origin))
            except MetadataError as error:
                if origin not in broken:
                    failures.append({"origin": origin, "reason": f"not indexed, its sidecar can't be used: {error}"})
                broken.add(origin)
        return {"documents": completed, "failures": failures}

    def _complete(self, document: Document, origin: str) -> Document:
        beside = read_sidecar(document.meta.get("sidecar") or "")
        own = {name: value for name, value in document.meta.items() if name != "sidecar"}
        single = document.id == origin
        if "attached_to" in own:  # a sender's file says nothing about who may read it here
            described = {**own, **beside, "title": own.get("title", "")}
        else:
            # The sidecar of a file of many records is for those that say nothing themselves.
            described = {**own, **beside} if single else {**beside, **own}
        meta = {"access_groups": [], **self._from_path(origin), **described}
        meta.pop("encoding", None)
        folders = origin.replace("!", "/").split("/")[1:-1]
        meta["breadcrumb"] = [part for part in (*folders, clean(str(meta.get("title", "")))) if part]
        identifier = str(meta.pop("id", "")) if single else ""
        return replace(document, id=identifier or document.id, meta=meta)

    def _from_path(self, origin: str) -> dict[str, Any]:
        path = unicodedata.normalize("NFKC", origin.replace("!", "/"))
        found: dict[str, Any] = {}
        for pattern in self._patterns:
            match = pattern.search(path)
            for name, value in (match.groupdict() if match else {}).items():
                if value:
                    found.setdefault(name, value)
        try:
            return checked_metadata(found)
        except MetadataError:
            return {}  # a folder that only looks like a date


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"path_patterns: {pattern!r} is no regular expression: {error}") from error
    unknown = sorted(set(compiled.groupindex) - set(FIELDS))
    if unknown or not compiled.groupindex:
        named = f"unknown field {unknown[0]!r}" if unknown else "no named group"
        raise ValueError(f"path_patterns: {pattern!r} has {named}; allowed: {', '.join(FIELDS)}")
    return compiled
