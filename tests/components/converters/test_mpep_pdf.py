"""The PDFs are printed by headless Chromium from the sample pages, laid out like the manual's chapters."""

import tarfile
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

import pypdfium2 as pdfium
import pytest
from haystack import Document
from haystack.dataclasses import ByteStream
from lxml import html

from components.converters.mpep_html import MpepHtmlConverter
from components.converters.mpep_pdf import MpepPdfConverter
from tests.print_pdf import chapter_css, print_pdf, shy
from tests.shared_data import shared_data

SAMPLES = Path(__file__).parents[3] / "samples" / "us_patent_law" / "mpep"
CHAPTERS = {
    "600": ["s601.html", "s608.html"],
    "2100": ["s2106.html", "s2163.html", "s2173.html"],
    # From the real manual, where it is there.
    "2100, real": ["real/s2131.html", "real/s2181.html"],
}


@cache
def real_pages() -> dict[str, bytes]:
    archive = shared_data("us-patent-law", "uspto-mpep-html.tar.xz")
    wanted = {Path(page).name for pages in CHAPTERS.values() for page in pages if page.startswith("real/")}
    if archive is None:
        return {name: (SAMPLES / name).read_bytes() for name in wanted}
    with tarfile.open(archive, "r|xz") as members:
        return {Path(m.name).name: members.extractfile(m).read() for m in members if Path(m.name).name in wanted}


def article(page: str) -> str:
    """What a page prints; links lose their targets, which the HTML converter explains and a PDF doesn't show."""
    data = real_pages()[Path(page).name] if page.startswith("real/") else (SAMPLES / page).read_bytes()
    root = html.fromstring(data.decode())
    element = root.get_element_by_id("article")
    for link in element.iter("a"):
        link.attrib.pop("href", None)
    return html.tostring(element, encoding="unicode", with_tail=False)


@cache
def from_html(chapter: str) -> list[Document]:
    sources = [
        ByteStream(f"<html><body>{article(page)}</body></html>".encode(), meta={"file": page, "origin": page})
        for page in CHAPTERS[chapter]
    ]
    return MpepHtmlConverter().run(sources=sources)["documents"]


def contents(chapter: str, mark: str) -> str:
    """A table of contents as the chapters have it: numbers and titles without revision marks."""
    rows = "".join(f"<tr><td>{d.meta['section']}</td><td>{d.meta['title']}</td></tr>" for d in from_html(chapter))
    return f'<table style="font-weight: {mark}">{rows}</table>'


@cache
def printed(chapter: str, columns: int, hyphenated: bool) -> bytes:
    body = "".join(article(page) for page in CHAPTERS[chapter])
    number = chapter.partition(",")[0]
    head = f'<h1 class="chapter">Chapter {number}</h1><h1 class="chapter">A Title of Its Own</h1>'
    css = chapter_css(columns, head_left=f"§ {number}", chapter=number, size=10 if columns == 2 else 11)
    return print_pdf(head + contents(chapter, "normal") + (shy(body) if hyphenated else body), css)


def convert(data: bytes) -> dict:
    return MpepPdfConverter().run(sources=[ByteStream(data, meta={"origin": "a.zip!mpep.pdf", "file": "mpep.pdf"})])


def words(text: str) -> list[str]:
    """Signs that the HTML converter puts in, for list items without a marker and between cells, don't count."""
    return [word for word in text.split() if word not in ("|", "-", "•")]


@pytest.mark.parametrize(
    ("chapter", "columns", "hyphenated"),
    [("600", 2, True), ("2100", 1, False), ("2100, real", 1, True)],
)
def test_text_equals_the_html_it_was_printed_from(chapter: str, columns: int, hyphenated: bool) -> None:
    result = convert(printed(chapter, columns, hyphenated))
    assert result["failures"] == []
    expected, found = from_html(chapter), result["documents"]
    for field in ("section", "title", "revision", "number_label", "chapter", "effective"):
        assert [d.meta[field] for d in found] == [d.meta[field] for d in expected], field
    assert [d.id for d in found] == [d.id for d in expected]
    total = same = 0
    for one, other in zip(expected, found, strict=True):
        left, right = words(one.content), words(other.content)
        total += len(left)
        same += sum(match.size for match in SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks())
        assert abs(len(left) - len(right)) <= 0.05 * len(left), one.id
    assert same >= 0.99 * total


def test_records_keep_what_search_needs() -> None:
    documents = {d.id: d for d in convert(printed("600", 2, True))["documents"]}
    record = documents["MPEP-608.01(o)"]
    assert record.meta["breadcrumb"][:2] == ["MPEP", "Chapter 600 A Title of Its Own"]
    assert record.meta["breadcrumb"][-1] == f"608.01(o) {record.meta['title']}"
    assert [name.split()[0] for name in record.meta["breadcrumb"][2:]] == ["608", "608.01", "608.01(o)"]
    assert record.meta["source"] == "MPEP"
    assert record.meta["kind_of_source"] == "pdf"
    assert record.meta["precedence"] == 10
    assert record.meta["edition"] == "Rev. 07.2015, November 2015"
    assert record.meta["origin"] == "a.zip!mpep.pdf"


def test_blocks_cover_the_text_with_kinds_pages_and_headings() -> None:
    data = printed("600", 2, True)
    documents = convert(data)["documents"]
    pages = len(pdfium.PdfDocument(data))
    assert pages > 1
    seen: list[int] = []
    for document in documents:
        blocks = document.meta["blocks"]
        assert "\n\n".join(document.content[b["start"] : b["end"]] for b in blocks) == document.content
        seen += [block["page"] for block in blocks]
    assert seen == sorted(seen)
    assert {*seen} == {*range(1, pages + 1)}
    expected = {d.id: {b["label"] for b in d.meta["blocks"] if b["kind"] == "form_paragraph"} for d in from_html("600")}
    found = {d.id: {b["label"] for b in d.meta["blocks"] if b["kind"] == "form_paragraph"} for d in documents}
    assert found == expected
    for kind in ("heading", "list", "table", "note"):
        count = [
            sum(b["kind"] == kind for d in docs for b in d.meta["blocks"]) for docs in (from_html("600"), documents)
        ]
        assert (count[0] > 0) == (count[1] > 0), kind


def test_a_table_of_contents_in_bold_begins_no_sections() -> None:
    body = contents("600", "bold") + "".join(article(page) for page in CHAPTERS["600"])
    data = print_pdf(body, chapter_css(1, chapter="600"))
    found = convert(data)["documents"]
    assert [d.meta["section"] for d in found] == [d.meta["section"] for d in from_html("600")]
    assert [len(words(d.content)) for d in found] == [len(words(d.content)) for d in from_html("600")]


BODY = """
<h1>2106 Eligibility of the Subject Matter [R-07.2015]</h1>
<p>The examiner reads the claim as a whole, and then the steps that follow, as section</p>
<p><b>2106.04 and 2106.05</b></p>
<p><b>101 Dalmatians</b></p>
<h2>I. FIRST STEP</h2><p>Text of the first step.</p>
<h3>A. Part of it</h3><p>Text of the part.</p>
<h3>B. Other part</h3><ul style="list-style: none"><li>(A) one thing; and</li><li>(B) another thing.</li></ul>
<h2>II. SECOND STEP</h2><p>Text of the second step.</p>
<h1>2106.03(a) An Unmarked Heading</h1><p>It fits into the order.</p>
<h1>2106.04 [Reserved]</h1>
<h1>2107-2110 [Reserved]</h1>
<h1>2111 Claims [R-08.2017]</h1><p>Claims are read.</p>
<h4><i>37 C.F.R. 1.75 Claims.</i></h4>
<p style="margin-left: 9mm">(a) The specification must conclude with a claim.</p>
<p>After the rule.</p>
<h1>¶ 7.05.01 Rejection, No Category</h1><p>the claim [1] is in no category.</p>
<h3>Examiner Note:</h3><ul style="list-style: none"><li>1. In bracket 1, name the claim.</li></ul>
<p>Plain text behind the form paragraph.</p>
"""


def test_headings_form_paragraphs_and_quotations_become_blocks() -> None:
    documents = convert(print_pdf(BODY, chapter_css(1)))["documents"]
    assert [(d.meta["section"], d.meta["title"], d.meta["revision"]) for d in documents] == [
        ("2106", "Eligibility of the Subject Matter", "R-07.2015"),
        ("2106.03(a)", "An Unmarked Heading", ""),
        ("2106.04", "[Reserved]", ""),
        ("2107-2110", "[Reserved]", ""),
        ("2111", "Claims", "R-08.2017"),
    ]
    first = documents[0]
    paths = {first.content[b["start"] : b["end"]]: b["headings"] for b in first.meta["blocks"] if b["kind"] == "text"}
    assert paths["Text of the first step."] == ["I. FIRST STEP"]
    assert paths["Text of the part."] == ["I. FIRST STEP", "A. Part of it"]
    assert paths["Text of the second step."] == ["II. SECOND STEP"]
    assert "(A) one thing; and\n(B) another thing." in first.content
    last = documents[-1]
    blocks = [(b["kind"], b["label"], last.content[b["start"] : b["end"]]) for b in last.meta["blocks"]]
    assert blocks == [
        ("text", "", "Claims are read."),
        ("quote_rule", "", "37 C.F.R. 1.75 Claims.\n(a) The specification must conclude with a claim."),
        ("text", "", "After the rule."),
        ("form_paragraph", "7.05.01", "¶ 7.05.01 Rejection, No Category\nthe claim [1] is in no category."),
        ("form_paragraph", "7.05.01", "Examiner Note:\n1. In bracket 1, name the claim."),
        ("text", "", "Plain text behind the form paragraph."),
    ]
    assert documents[2].content == "2106.04 [Reserved]"


def test_pages_that_lie_on_their_side_are_read_upright() -> None:
    document = pdfium.PdfDocument(print_pdf(BODY, chapter_css(1) + "@page { size: letter landscape; }"))
    expected = [d.content for d in convert(saved(document))["documents"]]
    for page in document:
        page.set_rotation(90)
    # A page that is turned shows its lines upright only where they were drawn turned; these now run downwards.
    assert convert(saved(document))["failures"]
    for page in document:
        page.set_rotation(0)
    assert [d.content for d in convert(saved(document))["documents"]] == expected


def saved(document: pdfium.PdfDocument) -> bytes:
    import io

    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()
