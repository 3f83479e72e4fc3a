import itertools
import lzma
import re
from pathlib import Path

import pytest
from haystack.dataclasses import ByteStream

from components.converters.uslm_xml import USLMConverter

ROOT = Path(__file__).parents[3]
REAL = ROOT.parent / "shared/data/us-patent-law/usc35-uslm-pl117-80.xml.xz"
SAMPLE = ROOT / "samples/us_patent_law/usc35.xml"

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<uscDoc identifier="/us/usc/t35" xmlns="http://xml.house.gov/schemas/uslm/1.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
<meta><docNumber>35</docNumber><docPublicationName>Online@199-7</docPublicationName></meta><main>
<title identifier="/us/usc/t35"><num value="35">Title 35—</num><heading>PATENTS</heading>
<part identifier="/us/usc/t35/ptII"><num value="II">PART II—</num><heading>TOOLS OF THE TRADE</heading>
<toc><layout><tocItem><column><ref href="x">900.</ref></column><column>Hammers.</column></tocItem></layout></toc>
<chapter identifier="/us/usc/t35/ptII/ch10"><num value="10">CHAPTER 10—</num><heading>HAMMERS AND NAILS</heading>
"""
TAIL = "</chapter></part></title></main></uscDoc>"
HAMMERS = """<section identifier="/us/usc/t35/s900"><num value="900">§ 900.</num><heading> Hammers; handles</heading>
<subsection><num value="a">(a)</num><heading> <inline class="small-caps">Heads</inline>.—</heading>
<chapeau>A hammer has a head unless—</chapeau>
<paragraph><num value="1">(1)</num><content> it is broken<ref class="footnoteRef" idref="f1">1</ref><note
 type="footnote" id="f1"><num>1</num> So in ours.</note>; or</content></paragraph>
<paragraph><num value="2">(2)</num><chapeau>it is—</chapeau>
<subparagraph><num value="A">(A)</num><content> lost; or</content></subparagraph></paragraph>
<continuation>A lost head counts twice.</continuation></subsection>
<subsection><num value="b">(b)</num><content><p>See <ref href="/us/usc/t35/s901">section 901</ref>.</p>
<p role="listItem">1. Wood.</p></content></subsection>
<sourceCredit>(Made up for a test.)</sourceCredit>
<notes type="uscNote"><note role="crossHeading" topic="editorialNotes"><heading><b>Editorial Notes</b></heading></note>
<note topic="amendments"><heading>Amendments</heading>
<p>2015—Subsec. (a). Words were added.</p>
<p>2011—Subsec. (b). Prior to amendment, subsec. (b) read as follows: “(b) A handle is of</p><p>“(1) stone; or</p>
<p>2010—Par. (1). A comma was moved.</p></note>
<note topic="effectiveDate"><heading>Effective Date</heading><p>In force at once, that:<quotedContent>
<section><num value="5">“SEC. 5.</num><heading> WHEN.</heading><subsection><num>“(a)</num><content>At once.”</content>
</subsection></section>
</quotedContent></p></note></notes></section>"""
GONE = """<section status="repealed" identifier="/us/usc/t35/s901 /us/usc/t35/s901A"><num>[§§ 901, 901A.</num>
<heading> Repealed. Act 7, § 1]</heading></section>"""


def convert(*texts):
    sources = [
        ByteStream(t.encode(), meta={"origin": f"o{n}", "file": f"f{n}.xml"}) for n, t in enumerate(texts, start=1)
    ]
    return USLMConverter().run(sources=sources)


def blocks_of(document):
    return [(b["kind"], b["label"], document.content[b["start"] : b["end"]]) for b in document.meta["blocks"]]


@pytest.fixture(scope="module")
def hammers():
    return convert(HEAD + HAMMERS + GONE + TAIL)["documents"][0]


def test_statute_text_by_subsection_and_notes_after_it(hammers):
    assert blocks_of(hammers) == [
        ("text", "(a)", "(a) Heads.—A hammer has a head unless—"),
        ("text", "(a)(1)", "(1) it is broken; or"),
        ("text", "(a)(2)", "(2) it is—"),
        ("text", "(a)(2)(A)", "(A) lost; or"),
        ("text", "(a)", "A lost head counts twice."),
        ("text", "(b)", "(b) See section 901. 1. Wood."),
        ("note", "", "(Made up for a test.)"),
        ("note", "", "1 So in ours."),
        ("note", "", "2015—Subsec. (a). Words were added."),
        ("note", "", "2011—Subsec. (b). Prior to amendment, subsec. (b) read as follows: “(b) A handle is of"),
        ("note", "", "“(1) stone; or"),
        ("note", "", "2010—Par. (1). A comma was moved."),
        ("note", "", "In force at once, that:"),
        ("note", "", "“SEC. 5. WHEN."),
        ("note", "", "“(a) At once.”"),
    ]


def test_former_law_is_marked_in_the_heading_path(hammers):
    paths = [b["headings"] for b in hammers.meta["blocks"] if b["kind"] == "note"]
    assert paths[0] == ["Notes", "Source"]
    assert paths[2] == ["Notes", "Amendments"]
    assert paths[3] == paths[4] == ["Notes", "Amendments", "Former text (pre-AIA)"]
    assert paths[5] == ["Notes", "Amendments"]


def test_meta(hammers):
    meta = hammers.meta
    assert hammers.id == "35USC-900"
    assert meta["edition"] == "through Pub. L. 199-7"
    assert meta["number_label"] == "35 U.S.C. 900"
    assert meta["title"] == "Hammers; handles"
    assert meta["breadcrumb"] == [
        "35 U.S.C.",
        "Part II—Tools of the Trade",
        "Chapter 10—Hammers and Nails",
        "35 U.S.C. 900 Hammers; handles",
    ]
    assert (meta["source"], meta["section"], meta["file"], meta["origin"]) == ("35_USC", "900", "f1.xml", "o1")
    assert meta["is_statute"] and meta["precedence"] == 30 and meta["kind_of_source"] == "uslm_xml"
    assert meta["url"].endswith("granuleid:USC-prelim-title35-section900&num=0&edition=prelim")
    assert meta["blocks"][1]["anchor"] == "substructure-location_a_1"


def test_repealed_sections_stay_with_their_heading():
    documents = convert(HEAD + GONE + TAIL)["documents"]
    assert [d.id for d in documents] == ["35USC-901", "35USC-901A"]
    assert documents[0].content == "§ 901. Repealed. Act 7, § 1"
    assert documents[0].meta["status"] == "repealed"


def test_sections_that_a_note_quotes_are_no_records():
    assert [d.id for d in convert(HEAD + HAMMERS + TAIL)["documents"]] == ["35USC-900"]


def test_broken_and_foreign_files_do_not_stop_the_others():
    other = HEAD.replace("t35", "t17") + TAIL
    result = convert(HEAD[:300], other, HEAD + HAMMERS + TAIL, HEAD + TAIL)
    assert [d.id for d in result["documents"]] == ["35USC-900"]
    reasons = {f["origin"]: f["reason"] for f in result["failures"]}
    assert reasons["o1"].startswith("not well-formed XML: ")
    assert reasons["o2"] == "USLM XML of title 17; only title 35 of the U.S. Code belongs here"
    assert reasons["o4"] == "no section of the Code in it"


def test_entities_are_not_expanded():
    bomb = HEAD.replace("?>\n<uscDoc", '?>\n<!DOCTYPE uscDoc [<!ENTITY a "xxxx">]>\n<uscDoc', 1)
    document = convert(bomb + HAMMERS.replace("Wood", "&a;") + TAIL)["documents"][0]
    assert "xxxx" not in document.content


def test_every_word_of_the_statute_is_read():
    data = lzma.decompress(REAL.read_bytes()) if REAL.exists() else SAMPLE.read_bytes()
    result = USLMConverter().run(sources=[ByteStream(data, meta={"origin": "usc35", "file": "usc35.xml"})])
    assert result["failures"] == []
    documents = {d.meta["section"]: d for d in result["documents"]}
    expected = set(re.findall(rb'<section[^>]*identifier="/us/usc/t35/s(\w+)"', data))
    assert {number.encode() for number in documents} >= expected
    assert {"101", "102", "103", "112", "154"} <= set(documents)
    for document in documents.values():
        blocks = document.meta["blocks"]
        assert blocks and document.content and document.meta["title"]
        kinds = [block["kind"] for block in blocks]
        assert kinds == sorted(kinds, key=lambda kind: kind == "note"), document.id
        assert all(a["end"] + 2 == b["start"] for a, b in itertools.pairwise(blocks))
    law = [b["label"] for b in documents["112"].meta["blocks"] if b["kind"] == "text"]
    assert law[:6] == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"]


@pytest.mark.parametrize(
    ("publication", "edition"),
    [
        ("Online@119-73not60", "through Pub. L. 119-73 (except 119-60)"),
        ("Online@119-73", "through Pub. L. 119-73"),
        ("2024 Main Edition", "2024 Main Edition"),
    ],
)
def test_currency(publication, edition):
    document = convert(HEAD.replace("Online@199-7", publication) + HAMMERS + TAIL)["documents"][0]
    assert document.meta["edition"] == edition
