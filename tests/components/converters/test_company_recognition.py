"""What a file of the company documents is, whatever its name."""

import io
import zipfile

import docx
import openpyxl
import pptx
import pytest

from components.converters.company_recognition import recognize_company_document
from tests.japanese_pdf import japanese_pdf


def office(kind: str) -> bytes:
    buffer = io.BytesIO()
    {"docx": docx.Document, "pptx": pptx.Presentation, "xlsx": openpyxl.Workbook}[kind]().save(buffer)
    return buffer.getvalue()


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", "x")
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx"])
def test_office_files(kind: str) -> None:
    assert recognize_company_document(office(kind), "renamed.bin").kind == kind


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (japanese_pdf([[(11, "本文")]]), "a.txt", "pdf"),
        ("<!DOCTYPE html><p>本文".encode("cp932"), "a.txt", "html"),
        (b"<p>x</p>", "a.html", "html"),
        ("From: a@b\nDate: x\nSubject: 件名\n\n本文".encode(), "mail", "email"),
        ("本文\n".encode("cp932"), "a.eml", "email"),
        ('{"id": "a", "title": "題", "text": "文"}\n'.encode(), "a.txt", "records"),
        ('{"_id": "a", "text": "文"}\n{bad'.encode(), "a.jsonl", "records"),
        (b'{"id": "a", "text": "broken\n', "a.jsonl", "records"),
        (b'{"id": "a", "text": "x", "n": ' + b"9" * 5000 + b"}\n", "a.jsonl", "records"),
        ("# 題\n\n本文".encode(), "a.txt", "text"),
        ("# 題\n\n本文".encode(), "a", "markdown"),
        ("本文".encode(), "a.md", "markdown"),
        ("品名,数量\n端子台,3\n".encode("cp932"), "a", "csv"),
        ("品名のみ\n".encode("cp932"), "a.CSV", "csv"),
        ("本文です。".encode("utf-16"), "a.txt", "text"),
        ("ｻｰﾊﾞ".encode("cp932"), "a.txt", "text"),
        ("本文です。\n".encode("euc_jp") * 20_000, "a.txt", "text"),
        ("[重要] 本文です。".encode(), "a.txt", "text"),
        ("注意: 停電\n本文".encode(), "a.txt", "text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "a.txt", "other"),
        (b"\x00\x00\x00\x20ftypisom", "a.mp4", "other"),
        (b"RIFF\x00\x00\x00\x00WEBP", "a.webp", "other"),
        (b"\x7fELF\x00\x00", "a.txt", "other"),
        (b'{"count": 3}', "a.json", "other"),
        (b"services: {}\n", "compose.yaml", "other"),
    ],
)
def test_kinds(data: bytes, name: str, kind: str) -> None:
    assert recognize_company_document(data, name).kind == kind


@pytest.mark.parametrize(
    ("data", "name", "reason"),
    [
        (b" \n", "a.txt", "empty file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a.xls", "an Office file of the old format"),
        (zipped(), "a.zip", "an archive or a document of a format that isn't read"),
        (b"\x1f\x8b\x08", "a.gz", "an archive inside an archive"),
        (b"title: x\n", "a.md.yaml", "a sidecar whose document 'a.md' isn't beside it"),
        (b'[\n{"id": "a", "text": "x"}]', "a.json", "JSON; give one record a line"),
        (b'[{"id": "a", "text": "x"}]', "a.json", "JSON; give one record a line"),
    ],
)
def test_what_is_not_read_says_why(data: bytes, name: str, reason: str) -> None:
    recognition = recognize_company_document(data, name)

    assert recognition.kind == ""
    assert recognition.detail.startswith(reason)
