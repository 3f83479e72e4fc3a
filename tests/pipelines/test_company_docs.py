"""Company documents in an index: what changes with a file or its sidecar, what is named, what the stores hold."""

import os
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import pytest

from pipelines.corpora import get_corpus
from pipelines.index_report import IndexReport
from pipelines.indexing import IndexRun
from pipelines.loading import open_store
from pipelines.settings import Settings


class Documents:
    """A folder of documents and its index, without vectors."""

    def __init__(self, folder: Path):
        self.folder = folder / "docs"
        self.settings = Settings(data_dir=folder / "data")
        self._ticks = 0

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        # Two writes within one tick of the clock would look unchanged.
        self._ticks += 1_000_000
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + self._ticks))
        return path

    def run(self, *paths: Path) -> IndexReport:
        run = IndexRun(get_corpus("company-docs"), self.settings, workers=1)
        return run.run(list(paths or [self.folder]), vectors=False)

    def chunks(self) -> dict[str, Any]:
        store = open_store("keyword", "company-docs", settings=self.settings)
        try:
            return {document.id: document for document in store.filter_documents()}
        finally:
            store.close()


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Documents:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    return Documents(tmp_path)


def changed(report: IndexReport) -> list[str]:
    return [source.origin for source in report.sources if source.changed]


def reasons(report: IndexReport) -> dict[str, str]:
    return {failure.origin: failure.reason for failure in report.failures}


def test_only_what_changed_is_indexed_again(documents: Documents) -> None:
    documents.write("人事部/a.md", "# 規程\n\n一日とする。")
    documents.write("人事部/b.txt", "本日休業。\n".encode("cp932"))
    assert changed(documents.run()) == ["docs/人事部/a.md", "docs/人事部/b.txt"]
    assert changed(documents.run()) == []

    documents.write("人事部/a.md.yaml", "access_groups: [役員]\n")
    assert changed(documents.run()) == ["docs/人事部/a.md"]
    chunk = documents.chunks()["docs/人事部/a.md#1"]
    assert (chunk.meta["access_groups"], chunk.meta["department"]) == (["役員"], "人事部")

    documents.write("人事部/a.md.yaml", "access_groups: [部長]\n")
    assert changed(documents.run()) == ["docs/人事部/a.md"]
    (documents.folder / "人事部/a.md.yaml").unlink()
    assert changed(documents.run()) == ["docs/人事部/a.md"]
    assert documents.chunks()["docs/人事部/a.md#1"].meta["access_groups"] == []

    (documents.folder / "人事部/b.txt").unlink()
    assert documents.run().removed == 1
    assert list(documents.chunks()) == ["docs/人事部/a.md#1"]


def test_a_sidecar_that_breaks_takes_its_document_out(documents: Documents) -> None:
    documents.write("a.md", "秘密の文。")
    documents.write("a.md.yaml", "access_groups: [役員]\n")
    documents.write("b.md", "公開の文。")
    assert reasons(documents.run()) == {}

    documents.write("a.md.yaml", "title: 題\nacces_groups: [役員]\n")

    assert reasons(documents.run()) == {
        "docs/a.md": "not indexed, its sidecar can't be used: line 2: 'acces_groups' is unknown; write 'access_groups'"
    }
    assert list(documents.chunks()) == ["docs/b.md#1"]


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(documents: Documents) -> None:
    documents.write("doubtful.txt", "ｻｰﾊﾞ".encode("cp932"))
    documents.write("records.jsonl", '{"id": "N-1", "text": "本文。"}\n{bad\n')
    documents.write("lost.md.yaml", "title: 題\n")
    documents.write("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    found = reasons(documents.run())

    assert list(found) == ["docs/doubtful.txt", "docs/lost.md.yaml", "docs/old.xls", "docs/records.jsonl"]
    for part, reason in zip(
        ["the encoding is doubtful", "'lost.md' isn't beside it", "save it as .docx", "line 2: not JSON"],
        found.values(),
        strict=True,
    ):
        assert part in reason
    assert list(documents.chunks()) == ["N-1#1"]


def test_the_sidecar_of_a_mail_closes_its_attachments(documents: Documents) -> None:
    message = EmailMessage()
    message["Subject"] = "見積もりの件"
    message.set_content("添付します。")
    message.add_attachment("品名,数量\n端子台,3\n".encode(), maintype="text", subtype="csv", filename="a.csv")
    documents.write("営業部/a.eml", message.as_bytes())
    documents.write("営業部/a.eml.yaml", "title: 題\naccess_groups: [役員]\n")
    assert reasons(documents.run()) == {}

    chunks = documents.chunks()
    assert {name: chunk.meta["title"] for name, chunk in chunks.items()} == {
        "docs/営業部/a.eml#1": "題",
        "docs/営業部/a.eml!a.csv#1": "a",
    }
    assert all(chunk.meta["access_groups"] == ["役員"] for chunk in chunks.values())
    assert all(chunk.meta["department"] == "営業部" for chunk in chunks.values())


def test_pictures_are_no_failures(documents: Documents) -> None:
    documents.write("a.md", "本文。")
    documents.write("logo.png", b"\x89PNG\r\n\x1a\n\x00\x00")
    report = documents.run()

    assert report.failures == []
    assert [(source.origin, source.kind, source.skipped) for source in report.sources] == [
        ("docs/a.md", "markdown", False),
        ("docs/logo.png", "other", True),
    ]


def test_a_sidecar_may_be_named_with_its_document_or_without(documents: Documents) -> None:
    path = documents.write("a.md", "本文。")
    sidecar = documents.write("a.md.yaml", "author: 田中 美咲\n")

    assert reasons(documents.run(path, sidecar)) == {}
    assert documents.chunks()["a.md#1"].meta["author"] == "田中 美咲"


def test_a_word_file_is_one_document(documents: Documents, tmp_path: Path) -> None:
    file = docx.Document()
    file.add_heading("計画", 1)
    file.add_paragraph("本文。")
    file.save(str(tmp_path / "plan.docx"))
    documents.write("開発部/EV-2024-001_plan.docx", (tmp_path / "plan.docx").read_bytes())
    report = documents.run()

    assert [(source.origin, source.kind) for source in report.sources] == [
        ("docs/開発部/EV-2024-001_plan.docx", "docx")
    ]
    assert documents.chunks()["docs/開発部/EV-2024-001_plan.docx#1"].meta["project_id"] == "EV-2024-001"


@pytest.mark.parametrize(
    "name",
    ["docx", "pptx", "xlsx", "pdf", "html", "markdown", "text", "csv", "email", "records", "metadata", "splitter"],
)
def test_the_pipeline_has_a_converter_for_every_kind(name: str, resolved: Callable[[], dict[str, Any]]) -> None:
    definition = resolved()

    assert name in definition["components"]
    if name not in ("metadata", "splitter"):
        assert name in get_corpus("company-docs").kinds
        assert {"sender": f"router.{name}", "receiver": f"{name}.sources"} in definition["connections"]


@pytest.fixture
def resolved() -> Callable[[], dict[str, Any]]:
    from pipelines.loading import resolve

    return lambda: resolve("rag_indexing")
