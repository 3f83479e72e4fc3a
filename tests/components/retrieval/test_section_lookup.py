"""The exact tier: what a query names, in the order that a reader wants, then what cites it."""

from typing import Any

import pytest
from haystack import Document, Pipeline

from components.analysis.english import analyze_english
from components.retrieval.ranking import Candidate, Candidates
from components.retrieval.section_lookup import SectionLookup
from components.splitters.section_splitter import SectionSplitter
from components.stores.tantivy_document_store import TantivyDocumentStore

LABELS = {"MPEP": "MPEP", "35_USC": "35 U.S.C.", "37_CFR": "37 CFR"}


def record(name: str, source: str, section: str, *texts: tuple[str, str], **meta: Any) -> Document:
    """A record of notes, which are chunks of their own; each text with its label."""
    blocks, content = [], ""
    for label, text in texts:
        content += "\n\n" if content else ""
        kind = "form_paragraph" if label[:1].isdigit() else "note" if label == "note" else "text"
        block = {"start": len(content), "end": len(content) + len(text), "kind": kind}
        blocks.append({**block, "headings": ["Notes"]} if kind == "note" else {**block, "label": label})
        content += text
    label = f"{LABELS[source]} {section}"
    base = {"source": source, "section": section, "number_label": label, "title": "", "is_update": False}
    return Document(id=name, content=content, meta={**base, **meta, "blocks": blocks})


LONG = " ".join(["word"] * 12)
RECORDS = [
    record("MPEP-103", "MPEP", "103", ("", f"Files may be seen. {LONG}"), ("", f"{LONG} two.")),
    record("MPEP-608.01", "MPEP", "608.01", ("", "Paper is white."), ("7.29", "¶ 7.29 Mend the faults.")),
    record("MPEP-608.01(o)", "MPEP", "608.01(o)", ("", "Terms stand in the text. See 37 CFR 1.75.")),
    record("MPEP-2106", "MPEP", "2106", ("", "Ideas alone are not enough."), chapter="2100"),
    record(
        "MPEP-2107",
        "MPEP",
        "2107",
        ("", "It must be useful, see MPEP § 2106 and 35 U.S.C. 112(a)."),
        chapter="2100",
    ),
    record("MPEP-131-139", "MPEP", "131-139", title="[Reserved]"),
    record("MPEP-304-305", "MPEP", "304 - 305", title="[Reserved]"),
    record("35USC-305", "35_USC", "305", ("", "A review is made."), is_statute=True),
    record("35USC-134", "35_USC", "134", ("", "An appeal may be taken."), is_statute=True),
    record(
        "35USC-112",
        "35_USC",
        "112",
        ("(a)", f"(a) Describe it. {LONG}"),
        ("(b)", f"(b) Claim it. {LONG}"),
        ("(b)(1)", f"(1) In one sentence. {LONG}"),
        ("(c)", f"(c) As often as need be. {LONG}"),
        ("note", "Once it was amended."),
        is_statute=True,
    ),
    record("35USC-112-preAIA", "35_USC", "112", ("", "Once it was written so."), pre_aia=True, is_statute=True),
    record("35USC-103", "35_USC", "103", ("", "No plain step, 37 CFR 1.999."), is_statute=True),
    record("37CFR-1.75", "37_CFR", "1.75", ("(a)", "(a) Claims end it."), is_regulation=True),
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> TantivyDocumentStore:
    chunks = SectionSplitter(max_tokens=30, min_tokens=2, overlap_tokens=0).run(documents=RECORDS)["documents"]
    store = TantivyDocumentStore(tmp_path_factory.mktemp("lookup") / "keyword", text_fields=["words"])
    store.write_documents(chunks)
    return store


def looked_up(
    store: TantivyDocumentStore, query: str, scores: dict[str, float] | None = None, **inputs: Any
) -> list[tuple[str, int]]:
    scores = scores or {}
    candidates = Candidates(tuple(Candidate(i, s) for i, s in scores.items()))
    answer = SectionLookup(store).run(candidates=candidates, analysis=analyze_english(query, query=True), **inputs)
    items = answer["candidates"].items
    assert [c.score for c in items if c.tier == 0] == sorted((c.score for c in items if c.tier == 0), reverse=True)
    return [(c.id, c.tier) for c in items]


STATUTE = ["35USC-112#1", "35USC-112#2", "35USC-112#3", "35USC-112#4"]
FORMER = ["35USC-112-preAIA#1"]


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("608.01(o)", ["MPEP-608.01(o)#1"]),
        ("MPEP § 608.01(o)", ["MPEP-608.01(o)#1"]),
        ("６０８．０１（ｏ）", ["MPEP-608.01(o)#1"]),
        ("MPEP 608.01", ["MPEP-608.01#1", "MPEP-608.01#2"]),
        ("2106", ["MPEP-2106#1"]),
        ("2107", ["MPEP-2107#1"]),
        ("210", []),
        ("21", []),
        # All readings of a bare number: the first chunk of each before the second of any.
        ("103", ["MPEP-103#1", "35USC-103#1", "MPEP-103#2"]),
        ("§ 103", ["MPEP-103#1", "35USC-103#1", "MPEP-103#2"]),
        ("35 USC 103", ["35USC-103#1"]),
        ("MPEP 103", ["MPEP-103#1", "MPEP-103#2"]),
        # The law in force, or the former law where it is asked for.
        ("35 U.S.C. 112", STATUTE),
        ("pre-AIA 35 U.S.C. 112", FORMER),
        ("pre‐AIA 35 U.S.C. 112", FORMER),
        # The named subsection with its parts first.
        ("35 usc 112(b)", [*STATUTE[1:3], STATUTE[0], STATUTE[3]]),
        ("112(b)", [*STATUTE[1:3], STATUTE[0], STATUTE[3]]),
        ("35 usc 112(b)(1)", [STATUTE[2], *STATUTE[:2], STATUTE[3]]),
        # One that isn't there: the whole that holds it.
        ("35 usc 112(z)", STATUTE),
        ("rule 1.75", ["37CFR-1.75#1"]),
        ("37 CFR 1.75(d)", ["37CFR-1.75#1"]),
        ("form paragraph 7.29", ["MPEP-608.01#2"]),
        ("7.29", ["MPEP-608.01#2"]),
        ("¶ 7.30", []),
        ("MPEP 2106 and 37 CFR 1.75", ["MPEP-2106#1", "37CFR-1.75#1"]),
        # Lists and ranges: the first chunk of each before the second of any, in the order in which they are named.
        ("608.01(o) and 2106", ["MPEP-608.01(o)#1", "MPEP-2106#1"]),
        ("2107, 608.01(o) or rule 1.75", ["MPEP-2107#1", "MPEP-608.01(o)#1", "37CFR-1.75#1"]),
        ("§§ 2106-2107", ["MPEP-2106#1", "MPEP-2107#1"]),
        ("2106-2107", ["MPEP-2106#1", "MPEP-2107#1"]),
        ("2105 to 2108", ["MPEP-2106#1", "MPEP-2107#1"]),
        ("103, 2106", ["MPEP-103#1", "35USC-103#1", "MPEP-2106#1", "MPEP-103#2"]),
        ("37 CFR 1.74 to 1.76", ["37CFR-1.75#1"]),
        ("35 U.S.C. 102-104", ["35USC-103#1"]),
        ("2107-2106", ["MPEP-2107#1", "MPEP-2106#1"]),
        ("2106-9999999", []),
        ("white paper", []),
    ],
)
def test_what_a_query_names_comes_first(store: TantivyDocumentStore, query: str, own: list[str]) -> None:
    assert [name for name, tier in looked_up(store, query) if tier == 0] == own


def test_what_cites_it_follows_and_all_others_come_last(store: TantivyDocumentStore) -> None:
    scores = {"MPEP-103#1": 0.9, "MPEP-2107#1": 0.3, "MPEP-2106#1": 0.2, "MPEP-608.01#1": 0.1}

    assert looked_up(store, "MPEP 2106", scores) == [
        ("MPEP-2106#1", 0),
        ("MPEP-2107#1", 1),
        ("MPEP-103#1", 2),
        ("MPEP-608.01#1", 2),
    ]


def test_former_law_and_notes_stand_behind_what_cites_the_law_in_force(store: TantivyDocumentStore) -> None:
    scores = {"35USC-112-preAIA#1": 0.9, "MPEP-103#1": 0.8, "MPEP-2107#1": 0.3, "35USC-112#5": 0.2}
    own = [(name, 0) for name in STATUTE]

    # A citation of a subsection cites the section.
    alone = [("MPEP-2107#1", 1), ("35USC-112#5", 1), ("35USC-112-preAIA#1", 1), ("MPEP-103#1", 2)]
    assert looked_up(store, "35 U.S.C. 112", scores) == [*own, *alone]
    assert looked_up(store, "35 U.S.C. 112") == [*own, ("35USC-112#5", 1), ("35USC-112-preAIA#1", 1)]
    # In a question their own scores tell where they stand.
    beside = [("35USC-112-preAIA#1", 1), ("MPEP-2107#1", 1), ("35USC-112#5", 1), ("MPEP-103#1", 2)]
    found = looked_up(store, "what was 35 U.S.C. 112 before", scores)
    assert (sorted(found[:4]), found[4:]) == (own, beside)


def test_a_chapter_is_all_of_its_sections(store: TantivyDocumentStore) -> None:
    chapter = ["MPEP-2106#1", "MPEP-2107#1"]

    assert looked_up(store, "chapter 2100") == [(name, 0) for name in chapter]
    scores = {"MPEP-2107#1": 0.5, "MPEP-103#1": 0.9}
    # With more in the query, of a chapter what was found in it.
    assert looked_up(store, "useful things in chapter 2100", scores) == [("MPEP-2107#1", 0), ("MPEP-103#1", 2)]


def test_a_number_that_a_heading_keeps_free_comes_after_other_readings(store: TantivyDocumentStore) -> None:
    assert looked_up(store, "134")[:2] == [("35USC-134#1", 0), ("MPEP-131-139#1", 0)]
    assert looked_up(store, "131-139")[0] == ("MPEP-131-139#1", 0)
    assert looked_up(store, "304 - 305")[0] == ("MPEP-304-305#1", 0)
    assert looked_up(store, "305")[0] == ("35USC-305#1", 0)
    assert looked_up(store, "MPEP 134") == [("MPEP-131-139#1", 0)]


def test_with_more_in_the_query_the_score_orders_what_is_named(store: TantivyDocumentStore) -> None:
    scores = {"35USC-112-preAIA#1": 0.9, "35USC-112#4": 0.8, "35USC-112#2": 0.5, "35USC-112#3": 0.6}

    found = looked_up(store, "how often must 35 U.S.C. 112 be met", scores)
    assert [name for name, _ in found] == [STATUTE[3], STATUTE[2], STATUTE[1], STATUTE[0], *FORMER]
    found = looked_up(store, "how often must 35 U.S.C. 112(b) be met", scores)
    assert [name for name, _ in found] == [STATUTE[2], STATUTE[1], STATUTE[3], STATUTE[0], *FORMER]


def test_what_is_not_there_makes_a_tier_only_when_nothing_else_is_asked(store: TantivyDocumentStore) -> None:
    candidates = Candidates((Candidate("MPEP-103#1", 0.9), Candidate("35USC-103#1", 0.5)))

    def run(query: str) -> list[tuple[str, int]]:
        analysis = analyze_english(query, query=True)
        items = SectionLookup(store).run(candidates=candidates, analysis=analysis)["candidates"].items
        return [(c.id, c.tier) for c in items]

    assert run("37 CFR 1.999") == [("35USC-103#1", 1), ("MPEP-103#1", 2)]
    assert run("who may see files under 37 CFR 1.999") == [("MPEP-103#1", 2), ("35USC-103#1", 2)]


def test_filters_hold_for_what_is_looked_up(store: TantivyDocumentStore) -> None:
    statutes = {"field": "meta.source", "operator": "==", "value": "35_USC"}

    assert looked_up(store, "103", filters=statutes) == [("35USC-103#1", 0)]
    assert looked_up(store, "MPEP 103", filters=statutes) == []


def test_a_query_without_numbers_changes_nothing(store: TantivyDocumentStore) -> None:
    candidates = Candidates((Candidate("b", 0.1), Candidate("a", 0.9)))

    answer = SectionLookup(store).run(candidates=candidates, analysis=analyze_english("white paper", query=True))

    assert answer["candidates"] is candidates


def test_serialization(store: TantivyDocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    pipeline = Pipeline()
    pipeline.add_component("lookup", SectionLookup(store))

    lookup = Pipeline.loads(pipeline.dumps()).get_component("lookup")

    answer = lookup.run(candidates=Candidates(), analysis=analyze_english("608.01(o)", query=True))
    assert [c.id for c in answer["candidates"].items] == ["MPEP-608.01(o)#1"]


def missing(store: TantivyDocumentStore, query: str, **inputs: Any) -> list[str]:
    return SectionLookup(store).run(Candidates(()), analyze_english(query, query=True), **inputs)["missing"]


@pytest.mark.parametrize(
    ("query", "absent"),
    [
        ("MPEP 9999", ["MPEP 9999"]),
        ("does 35 USC 999 say so, or MPEP § 2106 and rule 1.75?", ["35 USC 999"]),
        ("103", []),  # of several readings one is enough
        ("9999", ["9999"]),
        ("608.01", []),
        ("35 USC 112(z)", []),  # its section is shown
        ("¶ 7.99", ["¶ 7.99"]),
        ("useful chapter 2100", []),
        ("useful chapter 3300", ["chapter 3300"]),
        ("a patent of 1999 with 20 claims", []),
        ("what a rule says", []),
    ],
)
def test_what_a_query_names_that_is_not_there_is_told(store, query, absent):
    assert missing(store, query) == absent


def test_what_a_filter_leaves_out_is_not_missing(store):
    rules = {"field": "meta.is_regulation", "operator": "==", "value": True}

    assert missing(store, "35 USC 112 and 35 USC 999", filters=rules) == ["35 USC 999"]
