"""The least cosine that counts, with the packaged embedder."""

import pytest

from components.embedders.e5_text_embedder import E5TextEmbedder
from components.retrieval.ranking import Candidate
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.records import Shown


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> RAGMemoryIntegrator:
    """Five stars for one answer to each of three questions."""
    folder = tmp_path_factory.mktemp("real")
    embedder = E5TextEmbedder(str(folder / "multilingual-e5-small"))
    memory = RAGMemoryIntegrator(str(folder / "memory.sqlite"), embedder)
    for question in ("お盆休みの予定", "EV-2024-001の進捗", "who approves a purchase order"):
        session = memory.record_search_session(question, [Shown("D", 1)], user_id="ann")
        memory.record_feedback(session.id, 5)
    return memory


@pytest.mark.parametrize(
    ("question", "lifted"),
    [
        ("お盆休みはいつですか", True),
        ("今年のお盆の休業日", True),
        ("ＥＶ‐２０２４‐００１の進捗状況を教えてください", True),
        ("EV-2024-001はどこまで進んでいますか", True),
        ("purchase order approval: who signs", True),
        ("EV-2024-002の進捗", False),
        ("who approves a vacation request", False),
        ("経費精算の締め切りはいつ", False),
    ],
)
def test_what_is_asked_in_other_words(memory: RAGMemoryIntegrator, question: str, lifted: bool) -> None:
    vector = memory.embedder.run(texts=[question])["vectors"].vectors[0]

    found = memory.compute_memory_boost(question, vector, [Candidate("D", 0.5)], "bob")

    assert bool(found.boosts) is lifted
