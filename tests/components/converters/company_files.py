"""Helpers of the tests of company documents: run a converter on bytes, and look at blocks."""

import io
import zipfile
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream


def convert(converter: Any, data: bytes, file: str = "a.txt", **meta: Any) -> dict[str, Any]:
    """What a converter makes of one file."""
    return converter.run(sources=[ByteStream(data, meta={"origin": f"docs/{file}", "file": file, **meta})])


def one(converter: Any, data: bytes, file: str = "a.txt", **meta: Any) -> Document:
    """The only document in a file."""
    result = convert(converter, data, file, **meta)
    assert result["failures"] == []
    (document,) = result["documents"]
    return document


def reason(converter: Any, data: bytes, file: str = "a.txt", **meta: Any) -> str:
    """Why a file can't be used."""
    result = convert(converter, data, file, **meta)
    assert result["documents"] == []
    (failure,) = result["failures"]
    assert failure["origin"] == f"docs/{file}"
    return failure["reason"]


def blocks(document: Document) -> list[tuple[str, str, list[str]]]:
    """Kind, text and headings of each block."""
    text = document.content or ""
    return [(b["kind"], text[b["start"] : b["end"]], b["headings"]) for b in document.meta["blocks"]]


def replaced_part(package: bytes, name: str, content: bytes) -> bytes:
    """An Office file with another content of one part."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(package)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if info.filename != name:
                new.writestr(info.filename, old.read(info.filename))
        new.writestr(name, content)
    return buffer.getvalue()
