"""Files attached to mails: those of the kinds that are read as files of their own."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.company_recognition import recognize_company_document
from components.converters.csv_document import CsvConverter
from components.converters.docx_document import DocxConverter
from components.converters.html_document import HtmlConverter
from components.converters.markdown_document import MarkdownConverter
from components.converters.pdf_document import PdfConverter
from components.converters.pptx_document import PptxConverter
from components.converters.text_document import TextConverter
from components.converters.xlsx_document import XlsxConverter

_CONVERTERS: dict[str, Any] = {
    "csv": CsvConverter(),
    "docx": DocxConverter(),
    "html": HtmlConverter(),
    "markdown": MarkdownConverter(),
    "pdf": PdfConverter(),
    "pptx": PptxConverter(),
    "text": TextConverter(),
    "xlsx": XlsxConverter(),
}


def read_attached_files(files: Iterable[tuple[str, bytes]], mail: Document) -> tuple[list[Document], list[str]]:
    """
    Make a Document of each attached file that holds text.

    Usage example:
    ```python
    documents, reasons = read_attached_files([("plan.docx", data)], mail)
    documents[0].id, documents[0].meta["attached_to"]  # ("mail.eml!plan.docx", "mail.eml")
    ```

    :param files: Name and content of each; other kinds (pictures, archives) are left out.
    :param mail: The mail's Document. Its author and date are those of files that don't say theirs, and its sidecar
        holds for them, too.
    :returns: The Documents, and why others can't be read.
    """
    documents: list[Document] = []
    reasons: list[str] = []
    seen: Counter[str] = Counter()
    inherited = {name: mail.meta[name] for name in ("author", "updated_at") if name in mail.meta}
    shared = {name: mail.meta[name] for name in ("origin", "sidecar", "corpus_version")}
    for name, data in files:
        kind = recognize_company_document(data, name).kind
        if kind not in _CONVERTERS:
            continue
        seen[name] += 1
        identifier = f"{mail.id}!{name}" + (f" ({seen[name]})" if seen[name] > 1 else "")
        source = ByteStream(data, meta={**shared, "file": name, "kind": kind, "sidecar": ""})
        result = _CONVERTERS[kind].run(sources=[source])
        reasons += [f"the attached file {name!r}: {failure['reason']}" for failure in result["failures"]]
        for document in result["documents"]:
            meta = {**inherited, **document.meta, **shared, "attached_to": mail.id}
            documents.append(replace(document, id=identifier, meta=meta))
    return documents, reasons
