"""The BEIR converter: identities from ids, plain records, broken lines."""

import gzip
import json
from typing import Any

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.beir import BeirConverter


def convert(*records: Any, data: bytes | None = None, origin: str = "corpus.jsonl") -> dict[str, Any]:
    lines = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    source = ByteStream(data if data is not None else lines.encode(), meta={"origin": origin, "file": "corpus.jsonl"})
    return BeirConverter().run([source])


def one(**record: Any) -> Document:
    (document,) = convert({"text": "Some text.", **record})["documents"]
    return document


@pytest.mark.parametrize(
    ("id", "source", "section", "label", "chapter", "flags"),
    [
        ("MPEP-608.01(o)", "MPEP", "608.01(o)", "MPEP 608.01(o)", "600", (False, False, False)),
        ("MPEP-2106.04(a)(2)", "MPEP", "2106.04(a)(2)", "MPEP 2106.04(a)(2)", "2100", (False, False, False)),
        ("MPEP-101", "MPEP", "101", "MPEP 101", "100", (False, False, False)),
        ("37CFR-1.131", "37_CFR", "1.131", "37 CFR 1.131", "", (False, True, False)),
        ("37CFR-1.41-preAIA", "37_CFR", "1.41", "37 CFR 1.41", "", (False, True, True)),
        ("37CFR-1.703-v3", "37_CFR", "1.703", "37 CFR 1.703", "", (False, True, False)),
        ("35USC-102", "35_USC", "102", "35 U.S.C. 102", "", (True, False, False)),
        ("35USC-112-preAIA", "35_USC", "112", "35 U.S.C. 112", "", (True, False, True)),
        ("MPEP-", "", "", "", "", (False, False, False)),
        ("KR-1020160105665", "", "", "", "", (False, False, False)),
        ("XMPEP-101", "", "", "", "", (False, False, False)),
    ],
)
def test_identity(id: str, source: str, section: str, label: str, chapter: str, flags: tuple[bool, ...]) -> None:
    document = one(id=id)
    meta = document.meta
    assert (document.id, meta["source_id"]) == (id, id)
    assert (meta["source"], meta["section"], meta["number_label"], meta["chapter"]) == (source, section, label, chapter)
    assert (meta["is_statute"], meta["is_regulation"], meta["pre_aia"]) == flags
    assert (meta["is_update"], meta["precedence"], meta["kind_of_source"]) == (False, 0, "beir")


def test_breadcrumbs_name_the_sections_above() -> None:
    documents = convert(
        {"id": "MPEP-608", "title": "Disclosure", "text": "x"},
        {"id": "MPEP-608.01(o)", "title": "Claim Terms", "text": "x"},
        {"id": "37CFR-1.75", "title": "Claims.", "part": "PART 1 - PRACTICE", "text": "x"},
        {"id": "35USC-112", "title": "Specification", "part": "ptII", "text": "x"},
        {"id": "d7", "title": "A plain record", "text": "x"},
    )["documents"]
    assert [document.meta["breadcrumb"] for document in documents] == [
        ["MPEP", "Chapter 600", "608 Disclosure"],
        ["MPEP", "Chapter 600", "608 Disclosure", "608.01(o) Claim Terms"],
        ["37 CFR", "PART 1 - PRACTICE", "1.75 Claims."],
        ["35 U.S.C.", "112 Specification"],
        ["A plain record"],
    ]


def test_lines_become_blocks_and_an_empty_text_becomes_the_title() -> None:
    document = one(id="d1", title="T", text=" (a) First.\r\n\n(b)  Second. ")
    assert document.content == "(a) First.\n\n(b) Second."
    assert [document.content[block["start"] : block["end"]] for block in document.meta["blocks"]] == [
        "(a) First.",
        "(b) Second.",
    ]
    assert one(id="d1", title="Only a title", text="  ").content == "Only a title"
    assert one(id="d1", text="").content == "d1"


def test_optional_fields_are_kept_as_meta() -> None:
    document = one(
        id="d1",
        lang="ko",
        source="kipris",
        ipc="H03L 7/187",
        year=2020,
        granted=True,
        cited=["KR1", "KR2"],
        revision=None,
        nested={"a": 1},
        mixed=["a", 1],
        notes="long " * 200,
        origin="elsewhere",
    )
    meta = document.meta
    assert (meta["language"], meta["source"], meta["ipc"], meta["year"], meta["granted"], meta["cited"]) == (
        "ko",
        "kipris",
        "H03L 7/187",
        2020,
        True,
        ["KR1", "KR2"],
    )
    assert meta["revision"] == ""
    assert meta["origin"] == "corpus.jsonl"
    assert not {"nested", "mixed", "notes", "lang"} & set(meta)
    assert one(id="d1").meta["language"] == "en"


def test_broken_lines_are_named_and_the_rest_goes_on() -> None:
    result = convert(
        {"id": "d1", "text": "x"},
        "{",
        "[]",
        {"text": "x"},
        {"id": "d2"},
        {"id": "d1", "text": "y"},
        {"_id": "d3", "text": ""},
    )
    assert [document.id for document in result["documents"]] == ["d1", "d3"]
    assert [failure["reason"].split(":")[0] for failure in result["failures"]] == [f"line {n}" for n in (2, 3, 4, 5, 6)]
    assert {failure["origin"] for failure in result["failures"]} == {"corpus.jsonl"}


def test_gzip_is_read_and_a_broken_file_does_not_stop_the_others() -> None:
    good = gzip.compress(b'\xef\xbb\xbf{"id": "d1", "text": "x"}\n')
    sources = [
        ByteStream(data, meta={"origin": name})
        for name, data in (("a", good[:-5]), ("b", b""), ("c", b"\xef\xbb\xbf{}"))
    ]
    result = BeirConverter().run([*sources, ByteStream(good, meta={"origin": "d"})])
    # The byte order mark stands inside the compressed data.
    assert [document.meta["origin"] for document in result["documents"]] == ["d"]
    assert [failure["origin"] for failure in result["failures"]] == ["a", "b", "c"]
    assert "gzip" in result["failures"][0]["reason"]
    assert result["failures"][1]["reason"] == "holds no records"
