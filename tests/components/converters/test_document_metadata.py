"""Metadata from the path, the document and its sidecar: what counts more, and what closes a document."""

from typing import Any

import pytest
from haystack import Document

from components.converters.document_metadata import DocumentMetadata


def completed(origin: str, identifier: str = "", reader: DocumentMetadata | None = None, **meta: Any) -> Document:
    document = Document(id=identifier or origin, content="本文", meta={"origin": origin, "title": "題", **meta})
    result = (reader or DocumentMetadata()).run(documents=[document])
    assert result["failures"] == []
    return result["documents"][0]


@pytest.mark.parametrize(
    ("origin", "department", "project"),
    [
        ("docs/人事部/規程.md", "人事部", None),
        ("docs/開発部/試験/ev-2024-001_計画.docx", "開発部", "EV-2024-001"),
        ("docs/開発部/ＥＶ－２０２４－００１.txt", "開発部", "EV-2024-001"),
        ("docs.zip!開発部/a.md", "開発部", None),
        ("docs/a.md", None, None),
        ("docs/EV-2024-0011.md", None, None),
        ("docs/XEV-2024-001/a.md", "XEV-2024-001", None),
    ],
)
def test_path(origin: str, department: str | None, project: str | None) -> None:
    meta = completed(origin).meta

    assert (meta.get("department"), meta.get("project_id")) == (department, project)


def test_document_counts_more_than_path_and_sidecar_more_than_document() -> None:
    document = completed(
        "docs/総務部/EV-2024-001.md",
        department="人事部",
        author="田中 一郎",
        sidecar="author: 田中 美咲\ntitle: 別の題\nencoding: cp932\n",
    )

    assert [document.meta[name] for name in ("department", "author", "title", "project_id")] == [
        "人事部",
        "田中 美咲",
        "別の題",
        "EV-2024-001",
    ]
    assert document.meta["breadcrumb"] == ["総務部", "別の題"]
    assert document.meta["access_groups"] == []
    assert not {"sidecar", "encoding"} & document.meta.keys()


def test_the_sidecar_may_name_the_document() -> None:
    assert completed("docs/a.md", sidecar="id: HR-012").id == "HR-012"


def test_records_of_one_file_say_more_than_their_sidecar() -> None:
    sidecar = "title: 全体\nid: X\ndepartment: 総務部\naccess_groups: [役員]\n"
    document = completed("docs/a.jsonl", "N-1", department="人事部", sidecar=sidecar)

    assert (document.id, document.meta["title"]) == ("N-1", "題")
    assert (document.meta["department"], document.meta["access_groups"]) == ("人事部", ["役員"])


def test_attached_files_do_not_open_what_their_mail_closes() -> None:
    document = completed(
        "docs/a.eml",
        "docs/a.eml!a.md",
        attached_to="docs/a.eml",
        access_groups=["全員"],
        sidecar="title: 件名\naccess_groups: [役員]\n",
    )

    assert (document.id, document.meta["title"], document.meta["access_groups"]) == ("docs/a.eml!a.md", "題", ["役員"])


def test_a_document_with_a_bad_sidecar_is_left_out_and_named_once() -> None:
    documents = [
        Document(id=name, content="本文", meta={"origin": "docs/a.jsonl", "sidecar": "title: a\nacces_groups: [x]"})
        for name in ("N-1", "N-2")
    ]
    good = Document(id="docs/b.md", content="本文", meta={"origin": "docs/b.md"})
    result = DocumentMetadata().run(documents=[*documents, good])

    assert [document.id for document in result["documents"]] == ["docs/b.md"]
    (failure,) = result["failures"]
    assert failure["origin"] == "docs/a.jsonl"
    assert failure["reason"] == (
        "not indexed, its sidecar can't be used: line 2: 'acces_groups' is unknown; write 'access_groups'"
    )


def test_own_patterns() -> None:
    reader = DocumentMetadata([r"/(?P<updated_at>\d{4}-\d\d-\d\d)_", r"_(?P<author>[^_/]+)\.md$"])
    meta = completed("docs/2026-05-20_議事録_田中.md", reader=reader).meta

    assert (meta["updated_at"], meta["author"], meta.get("department")) == ("2026-05-20", "田中", None)
    assert "updated_at" not in completed("docs/2026-99-99_x.md", reader=reader).meta


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("(", "no regular expression"), ("a", "no named group"), ("(?P<colour>a)", "unknown field 'colour'")],
)
def test_patterns_that_cannot_be_used(pattern: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DocumentMetadata([pattern])
