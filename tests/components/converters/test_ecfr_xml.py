import json
from pathlib import Path

import pytest
from haystack.dataclasses import ByteStream
from lxml import etree

from components.converters.ecfr_xml import ECFRConverter, title_number

SAMPLE = Path(__file__).parents[3] / "samples/us_patent_law/title-37.xml"

SECTION = """<DIV8 N="{n}" {node} TYPE="SECTION"><HEAD>§ 9.75   Hammer(s).</HEAD>
<P>(a) A hammer<SU>1</SU> is <I>struck</I>.</P>
<P>(b) <I>In general.</I> (1) Twice.</P>
<P>(2) Thrice, 10<sup>6</sup> times.</P>
<P>This goes on.</P>
<EXTRACT><HD1>A FORM OF OURS</HD1><P>(a) Fill in.</P></EXTRACT>
<P>(c) See the table.</P>
<DIV width="100%"><DIV class="gpotbl_div"><TABLE><TR><TH>Fee</TH><TH>Sum</TH></TR>
<TR><TD>Late</TD><TD>$5</TD></TR></TABLE></DIV></DIV>
<GPOTABLE><TTITLE>Nails</TTITLE><BOXHD><CHED H="1">Size</CHED><CHED H="1">Price</CHED></BOXHD>
<ROW><ENT I="01">Big</ENT><ENT>$1</ENT></ROW></GPOTABLE>
<NOTE><HED>Note to paragraph (b):</HED><P>A note.</P><P>Another.</P></NOTE>
<EDNOTE><HED>Editorial Note:</HED><PSPACE>Ours.</PSPACE></EDNOTE>
<CITA TYPE="N">[1 FR 1, Jan. 1, <I>2030</I>]</CITA></DIV8>"""

BULK = (
    '<?xml version="1.0" encoding="UTF-8"?><DLPSTEXTCLASS><HEADER><PUBLICATIONSTMT><IDNO TYPE="title">37</IDNO>'
    "</PUBLICATIONSTMT></HEADER><TEXT><BODY><ECFRBRWS><AMDDATE>Sept. 1, 2030</AMDDATE>"
    '<DIV1 N="1" NODE="37:1" TYPE="TITLE"><HEAD>Title 37—Tools--Volume 1</HEAD>'
    '<DIV3 N="I" NODE="37:1.0.1" TYPE="CHAPTER"><HEAD>CHAPTER I—OFFICE OF TOOLS</HEAD>'
    '<DIV4 N="A" NODE="37:1.0.1.1" TYPE="SUBCHAP"><HEAD>SUBCHAPTER A—GENERAL</HEAD><TEXT><HED1>TOOLS</HED1></TEXT>'
    '<DIV5 N="9" NODE="37:1.0.1.1.1" TYPE="PART"><HEAD>PART 9—HAMMERS</HEAD>'
    "<AUTH><HED>Authority:</HED><PSPACE>35 U.S.C. 900.</PSPACE></AUTH>"
    '<DIV6 N="A" NODE="37:1.0.1.1.1.1" TYPE="SUBPART"><HEAD>Subpart A—Use</HEAD>'
    '<DIV7 N="1" NODE="37:1.0.1.1.1.1.1" TYPE="SUBJGRP"><HEAD>Striking</HEAD>'
    + SECTION.format(n="§ 9.75", node='NODE="37:1.0.1.1.1.1.1.1"')
    + '<DIV8 N="§§ 9.76-9.80" NODE="37:x" TYPE="SECTION"><HEAD>§§ 9.76-9.80   [Reserved]</HEAD></DIV8></DIV7></DIV6>'
    '<DIV9 N="Appendix A" NODE="37:y" TYPE="APPENDIX"><HEAD>Appendix A to Part 9—Sample Handle</HEAD><FP-2>Oak.</FP-2>'
    "</DIV9></DIV5></DIV4></DIV3></DIV1></ECFRBRWS></BODY></TEXT></DLPSTEXTCLASS>"
)
META = json.dumps({"path": "/on/2030-05-01/title-37/chapter-I/part-9", "citation": "37 CFR Part 9"}).replace(
    '"', "&quot;"
)
PART = (
    f'<DIV5 N="9" TYPE="PART" hierarchy_metadata="{META}"><HEAD>PART 9—HAMMERS</HEAD>'
    f"{SECTION.format(n='9.75', node='')}</DIV5>"
)
API = f'<ECFR><VOLUME N="1" AMDDATE="2030-04-01"/><DIV1 N="37" TYPE="TITLE"><HEAD>Title 37</HEAD>{PART}</DIV1></ECFR>'


def convert(*texts):
    sources = [ByteStream(t.encode(), meta={"origin": f"o{n}", "file": f"f{n}"}) for n, t in enumerate(texts, start=1)]
    return ECFRConverter().run(sources=sources)


@pytest.mark.parametrize("text", [BULK, PART, API], ids=["bulk", "part", "title"])
def test_paragraphs_tables_and_notes(text):
    document = convert(text)["documents"][0]
    assert document.id == "37CFR-9.75"
    assert [
        (b["kind"], b["label"], b["headings"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]
    ] == [
        ("text", "(a)", [], "(a) A hammer is struck."),
        ("text", "(b)(1)", [], "(b) In general. (1) Twice."),
        ("text", "(b)(2)", [], "(2) Thrice, 106 times."),
        ("text", "(b)(2)", [], "This goes on."),
        ("heading", "", ["A Form of Ours"], "A Form of Ours"),
        ("text", "(b)(2)", ["A Form of Ours"], "(a) Fill in."),
        ("text", "(c)", [], "(c) See the table."),
        ("table", "(c)", [], "Fee | Sum\nLate | $5"),
        ("table", "(c)", [], "Nails\nSize | Price\nBig | $1"),
        ("note", "", ["Notes", "Note to paragraph (b)"], "A note."),
        ("note", "", ["Notes", "Note to paragraph (b)"], "Another."),
        ("note", "", ["Notes", "Editorial Note"], "Ours."),
        ("note", "", ["Notes", "Source"], "[1 FR 1, Jan. 1, 2030]"),
    ]
    assert document.meta["blocks"][1]["anchor"] == "p-9.75(b)(1)"


def test_meta():
    document = convert(BULK)["documents"][0]
    meta = document.meta
    assert meta["breadcrumb"] == [
        "37 CFR",
        "Chapter I—Office of Tools",
        "Subchapter A—General",
        "Part 9—Hammers",
        "Subpart A—Use",
        "Striking",
        "37 CFR 9.75 Hammer(s)",
    ]
    assert (meta["section"], meta["title"], meta["number_label"]) == ("9.75", "Hammer(s)", "37 CFR 9.75")
    assert (meta["source"], meta["edition"]) == ("37_CFR", "amended through Sept. 1, 2030")
    assert meta["url"] == "https://www.ecfr.gov/current/title-37/section-9.75"
    assert meta["is_regulation"] and not meta["is_statute"] and meta["kind_of_source"] == "ecfr_xml"


def test_currency_of_the_api():
    assert convert(API)["documents"][0].meta["edition"] == "as of 2030-05-01"


def test_reserved_sections_and_appendices():
    reserved, appendix = convert(BULK)["documents"][1:]
    assert (reserved.id, reserved.meta["title"]) == ("37CFR-9.76-9.80", "[Reserved]")
    assert reserved.content == "§§ 9.76-9.80 [Reserved]"
    assert (appendix.id, appendix.content) == ("37CFR-Appendix-A-to-Part-9", "Oak.")
    assert appendix.meta["title"] == "Sample Handle"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        ('<DIV8 NODE="40:1.2" N="1"/>', "40"),
        ('<DIV8 hierarchy_metadata="{&quot;citation&quot;:&quot;37 CFR 1.1&quot;}"/>', "37"),
        ('<ECFR><DIV1 N="37" TYPE="TITLE"/></ECFR>', "37"),
        ('<DIV5 N="1" TYPE="PART"/>', ""),
    ],
)
def test_title_number(xml, expected):
    assert title_number(etree.fromstring(xml)) == expected


def test_other_titles_and_broken_files_are_refused_with_a_reason():
    result = convert(
        '<ECFR><DIV1 N="40" TYPE="TITLE"/></ECFR>', '<DIV5 N="1"/>', "<DIV5", '<ECFR><DIV1 N="37"/></ECFR>', PART
    )
    assert [d.id for d in result["documents"]] == ["37CFR-9.75"]
    reasons = {f["origin"]: f["reason"] for f in result["failures"]}
    assert reasons["o1"] == "eCFR XML of title 40; only title 37 of the Code of Federal Regulations belongs here"
    assert "an unknown title" in reasons["o2"]
    assert reasons["o3"].startswith("not well-formed XML")
    assert reasons["o4"] == "no section in it"
