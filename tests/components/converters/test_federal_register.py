import json
from pathlib import Path

import pytest
from haystack.dataclasses import ByteStream

from components.converters.federal_register import FederalRegisterConverter

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared/data/us-patent-law/federal-register/corpus.jsonl"

RULE = {
    "title": "Hammers in <em>Our</em> Office",
    "abstract": "We change\nthe fee for hammers.",
    "document_number": "2099-00001",
    "citation": "99 FR 123",
    "publication_date": "2099-01-02",
    "effective_on": "2099-02-01",
    "type": "Rule",
    "html_url": "https://example.test/2099-00001",
}
HTML = """<div class="body"><h1 id="h-1">SUPPLEMENTARY INFORMATION:</h1>
<p id="p-1">First <span class="printed-page-inline unprinted-element"> ( print page 124) </span>part.</p>
<span class="printed-page-details unprinted-element" id="page-124">x</span>
<ul class="table-of-contents"><li>I. Background</li></ul>
<h2 id="h-2">I. Background</h2><p id="p-2">See 35 U.S.C. 900.<sup>[<a class="footnote-reference">1</a>]</sup></p>
<h3>A. Nails</h3><ul class="bullets"><li>One</li><li>Two</li></ul><h2>II. Costs</h2>
<table><tr><th>Fee</th><th>Sum</th></tr><tr><td>Late</td><td>$5</td></tr></table>
<div class="footnotes"><div class="footnote" id="footnote-1"><p>1. A foot.</p></div></div></div>"""
HTML_BLOCKS = [
    ("text", ["Abstract"], "We change the fee for hammers."),
    ("heading", ["SUPPLEMENTARY INFORMATION:"], "SUPPLEMENTARY INFORMATION:"),
    ("text", ["SUPPLEMENTARY INFORMATION:"], "First part."),
    ("heading", ["SUPPLEMENTARY INFORMATION:", "I. Background"], "I. Background"),
    ("text", ["SUPPLEMENTARY INFORMATION:", "I. Background"], "See 35 U.S.C. 900."),
    ("heading", ["SUPPLEMENTARY INFORMATION:", "I. Background", "A. Nails"], "A. Nails"),
    ("list", ["SUPPLEMENTARY INFORMATION:", "I. Background", "A. Nails"], "- One\n- Two"),
    ("heading", ["SUPPLEMENTARY INFORMATION:", "II. Costs"], "II. Costs"),
    ("table", ["SUPPLEMENTARY INFORMATION:", "II. Costs"], "Fee | Sum\nLate | $5"),
    ("note", ["SUPPLEMENTARY INFORMATION:", "II. Costs"], "1. A foot."),
]
XML = """<?xml version="1.0" encoding="ISO-8859-1"?><RULE><PREAMB><PRTPAGE P="123"/><SUM><HD SOURCE="HED">SUMMARY:</HD>
<P>Short.</P></SUM></PREAMB><SUPLINF><HD SOURCE="HED">SUPPLEMENTARY INFORMATION:</HD><HD SOURCE="HD1">I. Background</HD>
<P>First<PRTPAGE P="124"/> words—<E T="03">of ours</E><SU>1</SU><FTREF/>.</P><FTNT><P><SU>1</SU> A foot.</P></FTNT>
<GPOTABLE><TTITLE>Fees</TTITLE><BOXHD><CHED H="1">Fee</CHED><CHED H="1">Sum</CHED></BOXHD>
<ROW><ENT I="01">Late</ENT><ENT>$5</ENT></ROW></GPOTABLE></SUPLINF><FRDOC>[FR Doc. 1]</FRDOC></RULE>"""
XML_BLOCKS = [
    ("text", ["Abstract"], "We change the fee for hammers."),
    ("heading", ["SUMMARY"], "SUMMARY"),
    ("text", ["SUMMARY"], "Short."),
    ("heading", ["SUPPLEMENTARY INFORMATION"], "SUPPLEMENTARY INFORMATION"),
    ("heading", ["SUPPLEMENTARY INFORMATION", "I. Background"], "I. Background"),
    ("text", ["SUPPLEMENTARY INFORMATION", "I. Background"], "First words—of ours."),
    ("note", ["SUPPLEMENTARY INFORMATION", "I. Background"], "A foot."),
    ("table", ["SUPPLEMENTARY INFORMATION", "I. Background"], "Fees\nFee | Sum\nLate | $5"),
]
TEXT = """<html><body><pre>
[Federal Register Volume 99, Number 1]

-----------------------------------------

OFFICE OF HAMMERS

I. Background

    The first paragraph
goes on.[[Page 124]] More &amp; more.
    A second one.

A. Nails

    Third.
</pre></body></html>"""
TEXT_BLOCKS = [
    ("text", ["Abstract"], "We change the fee for hammers."),
    ("text", [], "OFFICE OF HAMMERS"),
    ("heading", ["I. Background"], "I. Background"),
    ("text", ["I. Background"], "The first paragraph goes on. More & more."),
    ("text", ["I. Background"], "A second one."),
    ("heading", ["I. Background", "A. Nails"], "A. Nails"),
    ("text", ["I. Background", "A. Nails"], "Third."),
]


def convert(*datas):
    sources = [
        ByteStream(d if isinstance(d, bytes) else json.dumps(d).encode(), meta={"origin": f"o{n}", "file": f"f{n}"})
        for n, d in enumerate(datas, start=1)
    ]
    return FederalRegisterConverter().run(sources=sources)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"body_html": HTML}, HTML_BLOCKS),
        ({"body_html": f"<!DOCTYPE html><html><body>{HTML}</body></html>"}, HTML_BLOCKS),
        ({"body_xml": XML}, XML_BLOCKS),
        ({"body_xml": XML, "body_html": HTML}, XML_BLOCKS),
        # Broken or empty XML leaves the HTML.
        ({"body_xml": "<RULE>", "body_html": HTML}, HTML_BLOCKS),
        ({"body_xml": "<RULE/>", "body_html": HTML}, HTML_BLOCKS),
        ({"raw_text": TEXT}, TEXT_BLOCKS),
        ({"body_html": None}, HTML_BLOCKS[:1]),
    ],
)
def test_bodies(fields, expected):
    result = convert({**RULE, **fields})
    document = result["documents"][0]
    assert [
        (b["kind"], b["headings"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]
    ] == expected
    assert result["failures"] == []


def test_meta():
    document = convert({**RULE, "body_html": HTML})["documents"][0]
    meta = document.meta
    assert document.id == "FR-2099-00001"
    assert (meta["source"], meta["doc_type"], meta["fr_citation"]) == ("SUBSEQUENT", "Rule", "99 FR 123")
    assert (meta["effective_date"], meta["publication_date"]) == ("2099-02-01", "2099-01-02")
    assert (meta["section"], meta["number_label"], meta["title"]) == (
        "2099-00001",
        "2099-00001",
        "Hammers in Our Office",
    )
    assert meta["is_update"] and meta["url"] == RULE["html_url"]
    assert meta["breadcrumb"] == ["Federal Register", "2099-00001 Hammers in Our Office"]


@pytest.mark.parametrize(
    ("data", "ids"),
    [
        ({"count": 2, "results": [RULE, {**RULE, "document_number": "E9-1777"}]}, ["FR-2099-00001", "FR-E9-1777"]),
        ([RULE], ["FR-2099-00001"]),
        (b"\xef\xbb\xbf" + json.dumps(RULE, indent=2).encode(), ["FR-2099-00001"]),
        (
            f"{json.dumps(RULE)}\n\n{json.dumps({**RULE, 'document_number': '94-5'})}\n".encode(),
            ["FR-2099-00001", "FR-94-5"],
        ),
        ({"id": "FR-2099-7", "title": "T", "date": "2099-01-01", "text": "Words.", "url": "u"}, ["FR-2099-7"]),
    ],
)
def test_shapes(data, ids):
    result = convert(data)
    assert [d.id for d in result["documents"]] == ids
    assert result["failures"] == []


def test_a_document_without_text_keeps_its_title():
    document = convert({"document_number": "2099-00002", "title": "Only a title"})["documents"][0]
    assert document.content == "Only a title"
    assert document.meta["effective_date"] == document.meta["doc_type"] == ""


def test_bad_entries_and_files_are_named_and_the_rest_goes_on():
    lines = f'{json.dumps(RULE)}\n{{"broken\n[1]\n'.encode()
    result = convert(b"{broken", b"\xff\xfe\xfa", {"results": []}, {"results": [{"title": "no number"}, 7]}, lines)
    assert [d.id for d in result["documents"]] == ["FR-2099-00001"]
    assert [(f["origin"], f["reason"].split(":")[0]) for f in result["failures"]] == [
        ("o1", "not JSON"),
        ("o2", "not UTF-16"),
        ("o3", "no document in it"),
        ("o4", "an entry is not a JSON object"),
        ("o4", "document 1"),
        ("o5", "line 2"),
        ("o5", "line 3"),
    ]


def test_real_documents_where_they_are_at_hand():
    data = REAL.read_bytes() if REAL.exists() else json.dumps(RULE).encode()
    result = convert(data)
    assert result["failures"] == []
    assert len(result["documents"]) == (19 if REAL.exists() else 1)
    assert all(d.meta["publication_date"] and d.content for d in result["documents"])


def test_json_nested_too_deeply_stops_nothing():
    deep = b"[" * 100_000
    result = convert(deep, b'{"a": 1}\n' + deep + b"\n{}")
    assert [(f["origin"], f["reason"]) for f in result["failures"] if "deeply" in f["reason"]] == [
        ("o1", "JSON nested too deeply"),
        ("o2", "line 2: JSON nested too deeply"),
    ]
    long = b'{"a": ' + b"9" * 5000 + b"}"
    result = convert(long, b'{"a": 1}\n' + long + b"\n{}")
    assert [(f["origin"], f["reason"]) for f in result["failures"] if "number" in f["reason"]][:2] == [
        ("o1", "JSON with too long a number"),
        ("o2", "line 2: JSON with too long a number"),
    ]


def test_halves_of_surrogate_pairs_are_replaced() -> None:
    entry = {**RULE, "title": "Bad \ud800 title", "abstract": "On \udfff sale."}
    [document] = convert(json.dumps(entry).encode())["documents"]

    assert document.meta["title"] == "Bad \ufffd title"
    assert document.content is not None
    assert "On \ufffd sale." in document.content


def blocks(entry: dict[str, str]) -> tuple[list[str], list[str]]:
    result = convert({**RULE, **entry})
    [document] = result["documents"]
    return (document.content or "").split("\n\n"), [f["reason"] for f in result["failures"]]


def test_a_body_that_cant_be_read_is_named_and_the_abstract_kept():
    broken, deep = "<RULE><P>One & two</RULE>", "<RULE>" + "<ACT>" * 1500 + "</ACT>" * 1500 + "</RULE>"
    abstract = ["We change the fee for hammers."]

    texts, [reason] = blocks({"body_xml": broken})
    assert texts == abstract
    assert reason.startswith("document 1: body_xml can't be read (")
    assert blocks({"body_xml": deep}) == (abstract, ["document 1: body_xml is nested too deeply, so without it"])
    assert blocks({"body_html": "<div>" * 20_000 + "deep" + "</div>" * 20_000}) == (
        abstract,
        ["document 1: body_html is nested too deeply, so without it"],
    )
    assert blocks({"body_xml": broken, "body_html": "<p>Two.</p>"}) == ([*abstract, "Two."], [])


@pytest.mark.parametrize(
    ("written", "kept"),
    [("2099-02-01", "2099-02-01"), ("2099-02-01T00:00", "2099-02-01"), ("9999-99-99T00:00", ""), ("soon", "")],
)
def test_only_days_of_the_calendar_are_dates(written, kept):
    result = convert({**RULE, "effective_on": written})

    assert result["documents"][0].meta["effective_date"] == kept
    reason = f"document 1: effective_on: {written!r} is no date; it must be like 2024-02-08"
    assert [f["reason"] for f in result["failures"]] == ([] if kept else [reason])


def test_utf_16_is_read():
    assert [d.id for d in convert(json.dumps(RULE).encode("utf-16"))["documents"]] == ["FR-2099-00001"]
