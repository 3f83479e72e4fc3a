"""The manual's appendices: labelled paragraphs, notes, history, variants; treaties; texts without number."""

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.mpep_appendix import MpepAppendixConverter
from tests.components.converters.manual_pages import blocks, convert, sample_pages


@pytest.fixture(scope="module")
def records() -> dict[str, Document]:
    pages = {name: data for name, data in sample_pages().items() if "-appx-" in name}
    return {record.id: record for found in convert(pages).values() for record in found}


def test_every_provision_is_a_record(records: dict[str, Document]) -> None:
    assert list(records) == [
        "35USC-Preamble",
        "35USC-981",
        "35USC-981-preAIA",
        "35USC-982-note",
        "35USC-982A-preAIA",
        "35USC-983",
        "18USC-9901",
        "AIA-99",
        "35USC-INDEX-OF-JAR-LAWS",
        "37CFR-1.901",
        "37CFR-1.902-2012-09-16-thru-2013-03-15",
        "37CFR-1.902-pre-2012-09-16",
        "37CFR-1.903-preAIA",
        "37CFR-1.903-preAIA-2",
        "37CFR-Part-1-Appendix",
        "PCT-Preamble",
        "PCT-Art-98",
        "PCT-Regulations-of-Jars",
        "PCT-Rule-97bis",
        "PCT-Rule-97bis.1",
        "PCT-Rule-97.3bis",
        "PCT-Rule-97.4-97.5-and-97.6",
        "PCT-Schedule-of-Fees",
        "PCT-JAR-INDEX",
        "PARIS-Preamble",
        "PARIS-Art-97quinquies",
    ]


def test_statute(records: dict[str, Document]) -> None:
    record = records["35USC-981"]
    note = (
        "[Editor Note: Applicable to jars made on or after September 16, 2012. See 35 U.S.C. 981 (pre-AIA) for the law "
        "otherwise applicable.]"
    )
    assert blocks(record) == [
        ("note", note),
        ("text", "(a) OWNERS.— Whoever owns a jar may count it under section 982."),
        ("text", "(b) (1) The count—"),
        ("text", "(A) is public; and"),
        ("text", "(B) is final."),
        ("text", "(2) Nobody counts at night."),
        ("note", "(Added Jan. 1, 1999, Public Law 100-1, 1 Stat. 1.)"),
    ]
    assert [b["label"] for b in record.meta["blocks"]] == ["", "(a)", "(b)(1)", "(b)(1)(A)", "(b)(1)(B)", "(b)(2)", ""]
    assert [b["anchor"] for b in record.meta["blocks"]] == ["", "d4e12", "d4e14", "d4e15", "d4e16", "d4e17", "d4e18"]
    assert record.meta["effective"] == [note]


def test_statute_meta(records: dict[str, Document]) -> None:
    meta = {key: value for key, value in records["35USC-981-preAIA"].meta.items() if key != "blocks"}
    assert meta == {
        "source_id": "35USC-981-preAIA",
        "source": "35_USC",
        "section": "981",
        "title": "Jars",
        "number_label": "35 U.S.C. 981 (pre-AIA)",
        "chapter": "",
        "breadcrumb": [
            "35 U.S.C.",
            "Part I - Jars",
            "Chapter 1 - Jars, Lids and Boxes",
            "35 U.S.C. 981 (pre-AIA) Jars",
        ],
        "revision": "",
        "effective": [],
        "edition": "Updated April 2013",
        "pre_aia": True,
        "variant": "pre-AIA",
        "url": "https://www.uspto.gov/web/offices/pac/mpep/mpep-9015-appx-l.html#d4e20",
        "file": "mpep-9015-appx-l.html",
        "origin": "mpep/mpep-9015-appx-l.html",
        "kind_of_source": "mpep_appendix",
        "is_statute": True,
        "is_regulation": False,
        "is_update": False,
        "language": "en",
        "precedence": 20,
    }


def test_rule(records: dict[str, Document]) -> None:
    record = records["37CFR-1.901"]
    assert blocks(record) == [
        ("note", "[Editor Note: Applicable only to jars on or after Sept. 16, 2012 *]"),
        (
            "text",
            "(a) In general. Fee for each jar:\nFor a small jar (§ 1.902(a)) ... $120.00\nFor a large jar ... 240.00",
        ),
        ("text", "(b) [Reserved]"),
        ("note", "[1 FR 1, Jan. 1, 1990, effective Feb. 1, 1990]"),
        ("note", "[*The changes effective Sept. 16, 2012 are applicable only to new jars.]"),
    ]
    assert record.meta["breadcrumb"] == [
        "37 CFR",
        "Chapter I - Office of Jars",
        "Part 1 - Rules of Jars",
        "Subpart A - General Provisions",
        "Fees for Jars",
        "37 CFR 1.901 Count of jars",
    ]
    assert record.meta["effective"] == [
        "[Editor Note: Applicable only to jars on or after Sept. 16, 2012 *]",
        "[*The changes effective Sept. 16, 2012 are applicable only to new jars.]",
    ]
    assert record.meta["is_regulation"]


@pytest.mark.parametrize(
    ("source_id", "section", "label", "source", "content"),
    [
        ("18USC-9901", "18 U.S.C. 9901", "18 U.S.C. 9901", "35_USC", "False jars are forbidden."),
        ("35USC-983", "983", "35 U.S.C. 983", "35_USC", "35 U.S.C. 983 [Repealed.]"),
        ("35USC-INDEX-OF-JAR-LAWS", "INDEX OF JAR LAWS", "35 U.S.C. INDEX OF JAR LAWS", "35_USC", ""),
        ("37CFR-1.903-preAIA-2", "1.903", "37 CFR 1.903 (pre-AIA)", "37_CFR", "Very old jars go."),
        ("37CFR-Part-1-Appendix", "Part 1 Appendix", "37 CFR Part 1 Appendix", "37_CFR", "Sample count\none | jar"),
        ("PCT-Art-98", "Article 98", "PCT Article 98", "MPEP", "(1) (a) Jars unite under Rule 97.\n\n(b) Lids follow."),
        ("PCT-Rule-97bis", "Rule 97bis", "PCT Rule 97bis", "MPEP", "PCT Rule 97bis Foreign Jars"),
        ("PCT-Rule-97bis.1", "97bis.1", "PCT Rule 97bis.1", "MPEP", "As in Rule 97bis.2."),
        (
            "PCT-Schedule-of-Fees",
            "Schedule of Fees",
            "PCT Schedule of Fees",
            "MPEP",
            "(with effect from January 1, 2009)\n\n1. | jar",
        ),
        (
            "PARIS-Art-97quinquies",
            "Article 97quinquies",
            "Paris Convention Article 97quinquies",
            "MPEP",
            "Boxes are protected.",
        ),
        (
            "PARIS-Preamble",
            "Preamble",
            "Paris Convention Preamble",
            "MPEP",
            "Convention of Jars\n\nat a place, on a day",
        ),
    ],
)
def test_other_provisions(
    records: dict[str, Document], source_id: str, section: str, label: str, source: str, content: str
) -> None:
    record = records[source_id]
    assert (record.meta["section"], record.meta["number_label"], record.meta["source"]) == (section, label, source)
    assert record.content == (content or record.meta["number_label"])


def test_the_time_of_a_treaty_and_of_its_rules(records: dict[str, Document]) -> None:
    assert records["PCT-Art-98"].meta["edition"] == "as in force from April 1, 2002"
    assert records["PCT-Rule-97bis.1"].meta["edition"] == "as in force from January 1, 2013"


def test_rules_stand_below_the_rule_that_holds_them(records: dict[str, Document]) -> None:
    assert records["PCT-Rule-97bis.1"].meta["breadcrumb"] == [
        "PCT",
        "Regulations of Jars",
        "PART A - Introductory Rules",
        "PCT Rule 97bis Foreign Jars",
        "PCT Rule 97bis.1 Lids",
    ]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not HTML: Document is empty"),
        (
            b"<h1>Appendix L</h1>",
            "no heading 'Appendix L', 'R', 'T', 'AI' or 'P' over an element with the id 'article'",
        ),
        (
            b"<h1>Appendix II</h1><div id='article'></div>",
            "no heading 'Appendix L', 'R', 'T', 'AI' or 'P' over an element",
        ),
        (b"<h1>Appendix L</h1><div id='article'></div>", "no provision in it"),
    ],
)
def test_a_page_that_cannot_be_used(data: bytes, reason: str) -> None:
    result = MpepAppendixConverter().run([ByteStream(data, meta={"file": "x.html", "origin": "o!x.html"})])
    assert result["documents"] == []
    assert [failure["origin"] for failure in result["failures"]] == ["o!x.html"]
    assert result["failures"][0]["reason"].startswith(reason)
