"""The manual's section pages: nested sections, block kinds, sub-headings, links, revision marks, chapter pages."""

import pytest
from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.mpep_html import MpepHtmlConverter
from tests.components.converters.manual_pages import blocks, convert, sample_pages


@pytest.fixture(scope="module")
def records() -> dict[str, Document]:
    pages = {name: data for name, data in sample_pages().items() if "-appx-" not in name}
    return {record.id: record for found in convert(pages).values() for record in found}


def test_every_section_is_a_record(records: dict[str, Document]) -> None:
    assert list(records) == [
        "MPEP-chapter-600",
        "MPEP-611",
        "MPEP-611.01",
        "MPEP-611.01(a)",
        "MPEP-611.02-611.04",
        "MPEP-611.05",
        "MPEP-611.05(b)(2)",
        "MPEP-612-614",
    ]


def test_meta(records: dict[str, Document]) -> None:
    meta = {key: value for key, value in records["MPEP-611.01(a)"].meta.items() if key != "blocks"}
    assert meta == {
        "source_id": "MPEP-611.01(a)",
        "source": "MPEP",
        "section": "611.01(a)",
        "title": "Jars in Boxes",
        "number_label": "MPEP 611.01(a)",
        "chapter": "600",
        "breadcrumb": [
            "MPEP",
            "Chapter 600 Parts, Form, and Content of Application",
            "611 Sample Jars",
            "611.01 Counting of Jars",
            "611.01(a) Jars in Boxes",
        ],
        "revision": "R-11.2013",
        "effective": [],
        "edition": "2014-03-27",
        "pre_aia": False,
        "url": "https://www.uspto.gov/web/offices/pac/mpep/s611.html#d1e140",
        "file": "s611.html",
        "origin": "mpep/s611.html",
        "kind_of_source": "mpep_html",
        "is_statute": False,
        "is_regulation": False,
        "is_update": False,
        "language": "en",
        "precedence": 30,
    }


@pytest.mark.parametrize(
    ("source_id", "section", "title", "revision"),
    [
        ("MPEP-611", "611", "Sample Jars", "R-11.2013"),
        ("MPEP-611.01", "611.01", "Counting of Jars", "R-08.2012"),
        ("MPEP-611.02-611.04", "611.02 - 611.04", "[Reserved]", ""),
        ("MPEP-611.05(b)(2)", "611.05(b)(2)", "Jars Emptied Twice", ""),
        ("MPEP-612-614", "612 - 614", "[Reserved]", ""),
        ("MPEP-chapter-600", "600", "Introduction", ""),
    ],
)
def test_titles(records: dict[str, Document], source_id: str, section: str, title: str, revision: str) -> None:
    meta = records[source_id].meta
    assert (meta["section"], meta["title"], meta["revision"]) == (section, title, revision)


def test_a_section_holds_its_own_text_alone(records: dict[str, Document]) -> None:
    assert blocks(records["MPEP-611"]) == [
        ("note", "[Editor Note: This section is only applicable to jars filed on or after March 16, 2013.]"),
        (
            "text",
            "A jar must be closed before it is counted. See 37 CFR 1.901, MPEP § 611.01 and, for secret jars, "
            "section 181 [35 U.S.C. 181].",
        ),
    ]
    assert records["MPEP-611"].meta["effective"] == [
        "[Editor Note: This section is only applicable to jars filed on or after March 16, 2013.]"
    ]


def test_block_kinds_in_order(records: dict[str, Document]) -> None:
    assert blocks(records["MPEP-611.01"]) == [
        ("quote_statute", "35 U.S.C. 981 Jars in general.\nWhoever owns a jar may count it.\n*****"),
        (
            "quote_rule",
            "37 C.F.R. 1.901 Count of jars.\n(a) A count must be made by daylight.\n(b) (1) The count starts at one; "
            "or\n(2) at none, as § 1.902(c) allows.",
        ),
        ("quote_rule", "PCT Rule 97bis\nForeign Jars\n97bis.1. Lids\nA lid follows Rule 96.2 [PCT Rule 96.2]."),
        ("text", "Two jars weigh 10^3 g, three weigh more (see below)."),
        ("heading", "I. LIDS OF SMALL JARS"),
        ("text", "Small jars have small lids."),
        ("heading", "A. Tight Lids"),
        ("list", "(A) tight,\n(B) tighter, that is\n- a lid that squeaks;\n- a lid that stays."),
        ("heading", "1. Tightest Lids"),
        ("text", "None is known."),
        ("heading", "II. LARGE JARS"),
        ("form_paragraph", "¶ 6.99.01 Jar Objected To\nThe jar is objected to because [1]."),
        (
            "form_paragraph",
            "Examiner Note:\n1. In bracket 1, say what is wrong with the jar.\n2. Use form paragraph 6.99 for lids.",
        ),
        ("table", "Weights\nJar | Weight in grams\nlarge | 900 ...\n- | 950"),
        ("example", "Example 1:\nA jar as large as a house."),
        ("text", "[Figure: A jar & its lid [Page 1]]"),
        ("text", "Claim 1: a [[green]] blue jar."),
        ("text", "loose text with bold words"),
    ]


@pytest.mark.parametrize(
    ("text", "headings", "anchor", "label"),
    [
        ("35 U.S.C. 981", ["35 U.S.C. 981 Jars in general."], "d1e111", ""),
        ("PCT Rule", ["PCT Rule 97bis Foreign Jars"], "d1e118", ""),
        ("Two jars", [], "d1e121", ""),
        ("I. LIDS", ["I. LIDS OF SMALL JARS"], "d1e122", ""),
        ("Small jars", ["I. LIDS OF SMALL JARS"], "d1e123", ""),
        ("(A) tight", ["I. LIDS OF SMALL JARS", "A. Tight Lids"], "d1e125", ""),
        ("None is", ["I. LIDS OF SMALL JARS", "A. Tight Lids", "1. Tightest Lids"], "d1e129", ""),
        ("¶ 6.99.01", ["II. LARGE JARS", "¶ 6.99.01 Jar Objected To"], "fp6.99.01", "6.99.01"),
        ("Examiner Note", ["II. LARGE JARS", "¶ 6.99.01 Jar Objected To"], "fp6.99.01", "6.99.01"),
        ("Weights", ["II. LARGE JARS"], "d1e131", ""),
    ],
)
def test_where_blocks_stand(
    records: dict[str, Document], text: str, headings: list[str], anchor: str, label: str
) -> None:
    record = records["MPEP-611.01"]
    block = next(b for b in record.meta["blocks"] if (record.content or "")[b["start"] :].startswith(text))
    assert (block["headings"], block["anchor"], block["label"]) == (headings, anchor, label)


def test_a_range_is_cited_without_blanks(records: dict[str, Document]) -> None:
    assert records["MPEP-611.02-611.04"].meta["number_label"] == "MPEP 611.02-611.04"


@pytest.mark.parametrize(
    ("source_id", "content"),
    [("MPEP-611.02-611.04", "611.02 - 611.04 [Reserved]"), ("MPEP-611.05", "611.05 Empty Jars")],
)
def test_a_section_without_text_keeps_its_heading(records: dict[str, Document], source_id: str, content: str) -> None:
    assert records[source_id].content == content


def test_the_url_of_a_page_with_blanks_in_its_name(records: dict[str, Document]) -> None:
    assert records["MPEP-612-614"].meta["url"] == (
        "https://www.uspto.gov/web/offices/pac/mpep/s612%20-%20614.html#reserved612"
    )


def test_the_second_of_two_equal_numbers_gets_a_suffix() -> None:
    page = "".join(
        f'<div class="Section" id="d{i}"><h1 class="page-title">699 Jar {i}</h1><p>Text {i}.</p></div>' for i in (1, 2)
    )
    source = ByteStream(f'<div id="article">{page}</div>'.encode(), meta={"file": "s699.html", "origin": "o"})
    found = MpepHtmlConverter(precedence=7).run([source])["documents"]
    assert [(d.id, d.content, d.meta["precedence"]) for d in found] == [
        ("MPEP-699", "Text 1.", 7),
        ("MPEP-699-2", "Text 2.", 7),
    ]


def test_long_form_paragraphs_are_divided_between_lines_under_one_label() -> None:
    paragraphs = "".join(f"<p>{letter * 600}.</p>" for letter in "abc")
    page = (
        '<div id="article"><div class="Section"><h1 class="page-title">699 Jars</h1><div class="formPara">'
        f'<a name="fp9.9"></a><h1 class="page-title">¶ 9.9.aia Jar</h1>{paragraphs}</div></div></div>'
    )
    (record,) = MpepHtmlConverter().run([ByteStream(page.encode(), meta={"file": "s699.html"})])["documents"]
    assert [(b["kind"], b["label"]) for b in record.meta["blocks"]] == [("form_paragraph", "9.9.aia")] * 3


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not HTML: Document is empty"),
        (b"<p>no article</p>", "no section of the manual in it"),
        (sample_pages()["mpep-0700.html"], "no section of the manual in it"),
        (b"\x00\x01\x02", "no section of the manual in it"),
    ],
)
def test_a_page_that_cannot_be_used_does_not_stop_the_others(data: bytes, reason: str) -> None:
    good = sample_pages()["s612 - 614.html"]
    result = MpepHtmlConverter().run(
        [
            ByteStream(data, meta={"file": "bad.html", "origin": "zip!bad.html"}),
            ByteStream(good, meta={"file": "s612.html", "origin": "zip!s612.html"}),
        ]
    )
    assert [d.id for d in result["documents"]] == ["MPEP-612-614"]
    assert result["failures"] == [{"origin": "zip!bad.html", "reason": reason}]
