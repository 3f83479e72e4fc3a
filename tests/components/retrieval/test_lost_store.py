"""What each component does whose keyword store went away."""

from pathlib import Path
from typing import Any

import pytest
from haystack import Document

from components.analysis.english import analyze_english
from components.retrieval.entity_booster import EntityBooster
from components.retrieval.keyword_retriever import KeywordRetriever
from components.retrieval.phrase_title_booster import PhraseTitleBooster
from components.retrieval.ranking import Candidate, Candidates, Results
from components.retrieval.result_loader import ResultLoader
from components.retrieval.section_lookup import SectionLookup
from components.retrieval.update_promoter import UpdatePromoter
from components.stores.tantivy_document_store import TantivyDocumentStore

CANDIDATES = Candidates((Candidate("a#1", 0.9, 2, {"vector_rank": 1}), Candidate("b#1", 0.8)))
RESULTS = Results((Document(id="a#1", content="New matter.", meta={"self_ids": ["mpep:608.04"], "tier": 2}),))
QUERY = analyze_english("new matter under MPEP 608.04", query=True)


class Gone:
    """A store on a server that doesn't answer."""

    def __getattr__(self, name: str) -> Any:
        def call(*_: Any, **__: Any) -> Any:
            raise ConnectionRefusedError("nothing listens there")

        return call


@pytest.mark.parametrize(
    ("part", "inputs", "answer"),
    [
        (KeywordRetriever(Gone(), {"words": 1.0}), {"analysis": QUERY}, {"rankings": [], "required": None}),
        (PhraseTitleBooster(Gone()), {"candidates": CANDIDATES, "analysis": QUERY}, {"candidates": CANDIDATES}),
        (
            SectionLookup(Gone()),
            {"candidates": CANDIDATES, "analysis": QUERY},
            {"candidates": CANDIDATES, "missing": []},
        ),
        (
            EntityBooster(Gone()),
            {"candidates": CANDIDATES, "entities": [{"text": "Ross", "type": "PERSON", "value": "ross"}]},
            {"candidates": CANDIDATES},
        ),
        (UpdatePromoter(Gone()), {"results": RESULTS}, {"results": RESULTS}),
    ],
    ids=["retriever", "booster", "lookup", "entities", "promoter"],
)
def test_the_answer_goes_on_as_it_is(
    part: Any, inputs: dict[str, Any], answer: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    assert part.run(**inputs) == {**answer, "degraded": ["keyword"]}
    assert "nothing listens there" in caplog.text


def test_another_store_gives_the_text(tmp_path: Path) -> None:
    other = TantivyDocumentStore(tmp_path / "other", text_fields=["words"])
    other.write_documents([Document(id="a#1", content="New matter.", meta={"section": "608.04"})])

    answer = ResultLoader(Gone(), fallback_store=other).run(candidates=CANDIDATES)

    assert answer["degraded"] == ["keyword"]
    [document] = answer["results"].documents
    assert (document.content, document.meta) == (
        "New matter.",
        {"section": "608.04", "tier": 2, "scores": {"vector_rank": 1}},
    )


def test_without_another_store_there_is_no_answer() -> None:
    with pytest.raises(OSError, match="nothing listens there"):
        ResultLoader(Gone()).run(candidates=CANDIDATES)
