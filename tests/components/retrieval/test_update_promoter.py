"""Updates in front of what they override."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from haystack import Document, Pipeline
from haystack.document_stores.types import DuplicatePolicy

from components.retrieval.ranking import Results
from components.retrieval.update_promoter import UpdatePromoter
from components.splitters.section_splitter import SectionSplitter
from components.stores.tantivy_document_store import TantivyDocumentStore


def passage(name: str, label: str, text: str = "A passage.", tier: int = 2, **meta: Any) -> Document:
    """A chunk as the index holds it, with the rank's tier."""
    base = {"source": "MPEP", "section": label.rpartition(" ")[2], "number_label": label, "title": "", "chapter": ""}
    [chunk] = SectionSplitter().run(documents=[Document(id=name, content=text, meta={**base, **meta})])["documents"]
    chunk.meta.update(tier=tier, scores={})
    return chunk


def update(number: str, text: str, date: str, effective: str = "", **meta: Any) -> Document:
    notice = passage(
        f"FR-{number}",
        number,
        text,
        source="SUBSEQUENT",
        is_update=True,
        publication_date=date,
        effective_date=effective,
        **meta,
    )
    del notice.meta["tier"], notice.meta["scores"]
    return notice


IDEAS = passage("MPEP-2106.04(a)(2)", "MPEP 2106.04(a)(2)", chapter="2100")
STEP = passage("MPEP-2106.05", "MPEP 2106.05", chapter="2100")
WHOLE = passage("MPEP-2106", "MPEP 2106", chapter="2100")
USEFUL = passage("MPEP-2107", "MPEP 2107", chapter="2100")
RULE = passage("37CFR-1.98", "37 CFR 1.98", source="37_CFR")
OLD = update("2030-00001", "MPEP § 2106.04(a)(2) is superseded for jars.", "2030-01-01")
NEW = update("2031-00001", "MPEP § 2106.04(a)(2) is revised for lids.", "2031-01-01")
RESCINDED = update("2032-00001", "The notice 2030-00001 is rescinded.", "2032-01-01")
MENTION = update("2033-00001", "Comments on MPEP § 2106.04(a)(2) are welcome.", "2033-01-01")
PARENT = update("2030-00005", "The advice of MPEP § 2106 is withdrawn.", "2030-05-01")
PART = update("2030-00006", "37 CFR 1.98(f) is amended.", "2030-06-01", "2030-09-01")
LATER = update("2030-00007", "37 CFR 1.98(a) is amended.", "2030-07-01")


# Notices that rescind by a citation, by a title, and what they rescind.
CITED = update(
    "2030-00008", "Lids are ideas.", "2030-08-01", fr_citation="84 FR 50", title="Guidance for Jars and Lids"
)
BY_CITATION = update("2031-00008", "The notice at 84 Fed. Reg. 50 is rescinded.", "2031-08-01")
BY_NUMBER = update("2031-00009", "FR Doc. 2030-00008 is withdrawn.", "2031-08-02")
BY_TITLE = update("2031-00010", "We rescind the former Guidance for Jars and Lids and replace it.", "2031-08-03")
BY_QUOTED_TITLE = update("2031-00011", "The “Guidance for Jars and Lids,” is superseded.", "2031-08-04")
OTHER_PAGE = update("2031-00012", "The notice at 84 FR 5 is rescinded, as is Guidance for Jars.", "2031-08-05")
TOO_OLD = update("2029-00013", "A Guidance for Jars and Lids will replace this.", "2029-08-06")
SAME_TITLE = update(
    "2031-00014", "We amend the Guidance for Jars and Lids.", "2031-08-07", title="Guidance for Jars and Lids"
)


def promoted(
    tmp_path: Path, updates: list[Document], documents: Sequence[Document], depth: int = 20, **inputs: Any
) -> tuple[Document, ...]:
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["words"])
    store.write_documents(updates, DuplicatePolicy.OVERWRITE)
    return UpdatePromoter(store, depth=depth).run(results=Results(tuple(documents)), **inputs)["results"].documents


def sections(documents: Sequence[Document]) -> list[str]:
    return [document.meta["section"] for document in documents]


@pytest.mark.parametrize(
    ("updates", "documents", "expected"),
    [
        ([OLD], [USEFUL, IDEAS, RULE], ["2107", "2030-00001", "2106.04(a)(2)", "1.98"]),
        # Of those that are no results by themselves, the newest.
        ([OLD, NEW], [USEFUL, IDEAS], ["2107", "2031-00001", "2106.04(a)(2)"]),
        ([OLD, NEW], [IDEAS, OLD], ["2031-00001", "2030-00001", "2106.04(a)(2)"]),
        ([OLD, NEW], [IDEAS, USEFUL, NEW, OLD], ["2031-00001", "2030-00001", "2106.04(a)(2)", "2107"]),
        # Without a word that overrides, it stays where it ranks.
        ([MENTION], [IDEAS], ["2106.04(a)(2)"]),
        ([MENTION], [IDEAS, MENTION], ["2106.04(a)(2)", "2033-00001"]),
        # One that is among the results moves; one in front stays.
        ([OLD], [IDEAS, USEFUL, OLD], ["2030-00001", "2106.04(a)(2)", "2107"]),
        ([OLD], [OLD, USEFUL, IDEAS], ["2030-00001", "2107", "2106.04(a)(2)"]),
        # The newest goes in front of an older one that ranks high by itself.
        ([OLD, NEW], [OLD, IDEAS], ["2031-00001", "2030-00001", "2106.04(a)(2)"]),
        ([OLD, NEW], [OLD, USEFUL, IDEAS], ["2031-00001", "2030-00001", "2107", "2106.04(a)(2)"]),
        # A notice that rescinds a notice.
        ([OLD, RESCINDED], [IDEAS], ["2030-00001", "2106.04(a)(2)"]),
        ([OLD, RESCINDED], [OLD, IDEAS], ["2032-00001", "2030-00001", "2106.04(a)(2)"]),
        ([BY_CITATION], [IDEAS, CITED], ["2106.04(a)(2)", "2031-00008", "2030-00008"]),
        ([BY_NUMBER], [CITED], ["2031-00009", "2030-00008"]),
        ([BY_TITLE], [CITED], ["2031-00010", "2030-00008"]),
        ([BY_QUOTED_TITLE], [CITED], ["2031-00011", "2030-00008"]),
        ([BY_CITATION, BY_TITLE], [CITED, BY_CITATION], ["2031-00010", "2031-00008", "2030-00008"]),
        ([OTHER_PAGE], [CITED], ["2030-00008"]),
        # An older notice overrides none, nor does one with the same title by its own name.
        ([TOO_OLD], [CITED], ["2030-00008"]),
        ([TOO_OLD], [CITED, TOO_OLD], ["2030-00008", "2029-00013"]),
        ([SAME_TITLE], [CITED], ["2030-00008"]),
        # What holds a passage is overridden with it, a neighbour or the whole is not.
        ([PARENT], [STEP, WHOLE], ["2030-00005", "2106.05", "2106"]),
        ([OLD], [STEP, WHOLE, USEFUL], ["2106.05", "2106", "2107"]),
        ([OLD], [STEP, IDEAS], ["2106.05", "2030-00001", "2106.04(a)(2)"]),
        # A paragraph of a rule overrides the rule; by effective, then publication date.
        ([PART, LATER], [RULE], ["2030-00006", "1.98"]),
        ([PART, LATER], [RULE, LATER, PART], ["2030-00006", "2030-00007", "1.98"]),
        ([], [IDEAS], ["2106.04(a)(2)"]),
        ([OLD], [], []),
    ],
)
def test_order(tmp_path: Path, updates: list[Document], documents: list[Document], expected: list[str]) -> None:
    assert sections(promoted(tmp_path, updates, documents)) == expected


def test_what_the_query_names_stays_on_top_with_its_updates_newest_first_behind_it(tmp_path: Path) -> None:
    named = passage("MPEP-2106.04(a)(2)", "MPEP 2106.04(a)(2)", tier=0)
    other = passage("MPEP-2107", "MPEP 2107", tier=1)

    results = promoted(tmp_path, [OLD, NEW], [named, other, OLD])

    assert sections(results) == ["2106.04(a)(2)", "2031-00001", "2030-00001", "2107"]
    assert [d.meta["tier"] for d in results] == [0, 1, 1, 1]
    assert [d.meta.get("overrides") for d in results] == [None, *[["mpep:2106.04(a)(2)"]] * 2, None]
    assert "overrides" not in OLD.meta


def test_a_notice_cited_by_its_title_is_told_by_its_number(tmp_path: Path) -> None:
    first = promoted(tmp_path, [BY_TITLE], [CITED])[0]

    assert first.meta["overrides"] == ["fr:2030-00008"]


def test_a_result_that_moves_keeps_its_scores(tmp_path: Path) -> None:
    known = passage("FR-2030-00001", "2030-00001", OLD.content or "", is_update=True, source="SUBSEQUENT")
    known.meta["scores"] = {"keyword_rank": 7}

    first = promoted(tmp_path, [OLD], [IDEAS, known])[0]

    assert (first.id, first.meta["scores"], first.meta["tier"]) == ("FR-2030-00001#1", {"keyword_rank": 7}, 2)


def test_filters_hold_for_updates_that_are_looked_up(tmp_path: Path) -> None:
    others = {"field": "meta.is_update", "operator": "==", "value": False}
    manual = {"field": "meta.source", "operator": "==", "value": "SUBSEQUENT"}

    assert sections(promoted(tmp_path, [OLD], [IDEAS], filters=others)) == ["2106.04(a)(2)"]
    assert sections(promoted(tmp_path, [OLD], [IDEAS], filters=manual)) == ["2030-00001", "2106.04(a)(2)"]


def test_only_the_first_results_are_looked_through(tmp_path: Path) -> None:
    assert sections(promoted(tmp_path, [OLD], [USEFUL, IDEAS], depth=1)) == ["2107", "2106.04(a)(2)"]
    assert sections(promoted(tmp_path, [OLD], [USEFUL, IDEAS], depth=2))[1] == "2030-00001"


def test_of_many_updates_the_newest_are_found(tmp_path: Path) -> None:
    many = [
        update(f"2030-{n:05}", "MPEP § 2106.04(a)(2) is revised.", f"20{30 + n // 12}-{n % 12 + 1:02}-01")
        for n in range(80)
    ]

    results = promoted(tmp_path, many, [IDEAS])

    assert sections(results) == ["2030-00079", "2106.04(a)(2)"]


def test_depth_below_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="depth must be 1 or more, not 0"):
        UpdatePromoter(TantivyDocumentStore(tmp_path), depth=0)


def test_serialization(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "components.*")
    store = TantivyDocumentStore(tmp_path / "keyword", text_fields=["words"])
    store.write_documents([OLD])
    pipeline = Pipeline()
    pipeline.add_component("promoter", UpdatePromoter(store, depth=3))

    loaded = Pipeline.loads(pipeline.dumps())

    assert loaded.get_component("promoter").depth == 3
    answer = loaded.run({"promoter": {"results": Results((IDEAS,))}})
    assert sections(answer["promoter"]["results"].documents) == ["2030-00001", "2106.04(a)(2)"]
