import json

import pytest

from components.converters.recognition import recognize_us_patent_law

PAGE = (
    b'<html><head><title>999-</title></head><body><ul><li><a href="index.html">Manual of Patent Examining Procedure</a>'
    b'</li></ul><div id="article"><div class="Section"><h1 class="page-title">999.01(a)\n Our Own Section [R-01.2030]'
    b"</h1><p>Words of our own.</p></div></div></body></html>"
)
CHAPTER = b"<title>900 - X</title><li>Manual of Patent Examining Procedure</li><h1 align='center'>Chapter 900</h1>"
APPENDIX = b"<li>Appendix R - Patent Rules</li><h1 align='center'>Appendix R - Patent Rules</h1>"
FR = {"document_number": "2099-00001", "title": "A notice of our own"}


@pytest.mark.parametrize(
    ("data", "kind", "detail"),
    [
        (PAGE, "mpep_html", "MPEP 999.01(a)"),
        (b"---\nlayout: page\n---\n" + PAGE, "mpep_html", "MPEP 999.01(a)"),
        (b"\xef\xbb\xbf" + PAGE, "mpep_html", "MPEP 999.01(a)"),
        (CHAPTER, "mpep_contents", "table of contents: Chapter 900"),
        (b"<title>Manual of Patent Examining Procedure</title>", "mpep_contents", "table of contents"),
        (b"<h1>Appendix II - List of Decisions</h1>", "mpep_contents", "table of contents: Appendix II"),
        (b"<h1 class='page-title'>Subject Matter Index</h1>", "mpep_contents", "table of contents: Subject Matter"),
        (APPENDIX, "mpep_appendix", "Appendix R - Patent Rules"),
        (b"<?xml version='1.0'?><!-- c --><uscDoc><meta><docNumber>35</docNumber>", "uslm_xml", "title 35"),
        (b"<?xml version='1.0'?>\n<DLPSTEXTCLASS><HEADER>", "ecfr_xml", "Code of Federal"),
        (b'<DIV5 N="1" TYPE="PART">', "ecfr_xml", "Code of Federal"),
        (json.dumps(FR).encode(), "federal_register", "document"),
        (json.dumps({"count": 1, "results": [FR]}).encode(), "federal_register", "documents"),
        (json.dumps([FR], indent=1).encode(), "federal_register", "documents"),
        (f"{json.dumps(FR)}\n{json.dumps(FR)}\n".encode(), "federal_register", "documents"),
        (b'{"id": "FR-2099-00001", "title": "x", "date": "2099-01-01", "text": "y"}', "federal_register", ""),
        (b"%PDF-1.7\n%\xe2\xe3\x00", "pdf", "PDF"),
        (b'{"_id": "d1", "title": "", "text": "some words"}\n', "beir", "tansaku evaluate"),
        (b'{"id": "q1", "text": "a question"}\n', "evaluation", "tansaku evaluate"),
        (b"query-id\tcorpus-id\tscore\nq1\tMPEP-1\t1\n", "evaluation", "tansaku evaluate"),
        (b"q1\tMPEP-1\t1\n", "evaluation", "tansaku evaluate"),
        (b"", "", "empty file"),
        (b" \n", "", "empty file"),
        (b"PK\x03\x04\x00", "", "archive"),
        (b"\x89PNG\x00\x00", "other", "binary"),
        (b"plain words", "other", "without a known structure"),
        (b"<html><body><h1>Trains</h1></body></html>", "other", "HTML page that is not of the MPEP"),
        (b"<?xml version='1.0'?><feed/>", "other", "unknown root element <feed>"),
        (b"<?xml version='1.0'?><NOTICE/>", "", "without its metadata"),
        (b"<?xml version='1.0'?><CFRDOC/>", "", "annual edition"),
        (b'{"a": 1}', "other", "document_number"),
        (b'{"count": 0, "results": []}', "other", "without Federal Register documents"),
        (b"{broken", "other", "JSON without"),
        (b"[" * 100_000, "other", "JSON without"),
    ],
)
def test_recognition(data, kind, detail):
    found = recognize_us_patent_law(data, "some.bin")
    assert found.kind == kind
    assert detail in found.detail


def test_a_section_far_down_the_page_is_found():
    filler = b"<li><a href='s1.html'>1-A menu entry</a></li>" * 4000
    assert recognize_us_patent_law(b"<html>" + filler + PAGE[6:], "x").kind == "mpep_html"


def test_utf_16_is_read():
    assert recognize_us_patent_law(json.dumps(FR).encode("utf-16"), "x").kind == "federal_register"


@pytest.mark.parametrize("page", [b"<h1 " * 45_000, b"<h1>" * 60_000, b'<h1 class="page-title" ' * 3000])
def test_pages_of_open_tags_take_no_longer_than_others(page):
    assert recognize_us_patent_law(b"<html>" + page, "a.html").kind == "other"
