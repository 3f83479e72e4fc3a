"""Office files (.docx, .pptx, .xlsx) are zip archives: what kind one is, and whether it is safe to open."""

import io
import zipfile
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from components.converters.document_text import UnreadableDocumentError

MAX_UNPACKED_BYTES = 512 << 20
_MAIN_PARTS = (("word/", "docx"), ("ppt/", "pptx"), ("xl/", "xlsx"))
_Opened = TypeVar("_Opened")


def package_kind(data: bytes) -> str:
    """
    The kind of an Office file.

    :param data: A zip archive.
    :returns: docx, pptx or xlsx; empty for any other archive.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return ""
    if "[Content_Types].xml" not in names:
        return ""
    return next((kind for folder, kind in _MAIN_PARTS if any(name.startswith(folder) for name in names)), "")


def open_package(data: bytes, open_file: Callable[[io.BytesIO], _Opened]) -> _Opened:
    """
    Open an Office file by its library.

    :param data: The file.
    :param open_file: The library's function.
    :returns: What the function gives.
    :raises UnreadableDocumentError: If the file is damaged, or unpacks to more than `MAX_UNPACKED_BYTES`.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise UnreadableDocumentError(f"the file is damaged: {error}") from error
    if size > MAX_UNPACKED_BYTES:
        raise UnreadableDocumentError(f"it unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")
    try:
        return open_file(io.BytesIO(data))
    except Exception as error:  # what these libraries raise for a broken part is of many kinds
        raise UnreadableDocumentError(f"the file is damaged: {str(error) or type(error).__name__}") from error


def core_properties(properties: Any) -> dict[str, Any]:
    """
    What an Office file says about itself.

    :param properties: The library's core properties.
    :returns: author, and updated_at where it is known. Titles are left out: most are those of the template.
    """
    modified = getattr(properties, "modified", None)
    author = getattr(properties, "author", None) or getattr(properties, "creator", None)
    # Libraries leave their own names, and the dates of their templates.
    names = {str(author or ""), str(getattr(properties, "last_modified_by", None) or "")}
    is_made = bool(names & {"python-docx", "openpyxl", "Steve Canny", "XlsxWriter"})
    return {
        "author": "" if is_made else str(author or ""),
        "updated_at": f"{modified:%Y-%m-%dT%H:%M:%S}" if isinstance(modified, datetime) and not is_made else "",
    }
