"""Documents as plain dictionaries."""

from pipelines.mpep_answers import as_hits


def test_relevance_never_rises_and_names_count_1() -> None:
    from haystack import Document

    documents = [
        Document(id=str(n), content="x", score=score, meta={"tier": tier, "scores": {"rerank_score": rerank}})
        for n, (score, tier, rerank) in enumerate(
            [(0.2, 0, None), (0.3, 2, None), (1.7, 2, None), (0.9, 2, 0.4), (None, 2, None), (-0.5, 2, None)]
        )
    ]

    assert [hit["relevance_score"] for hit in as_hits(documents)] == [1, 1, 1, 0.4, 0, 0]
