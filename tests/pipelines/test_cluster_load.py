"""Searches of all kinds over servers while the index is rebuilt and switched, and back."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from benchmarks.cluster_load import MARKS, foreign, summary
from benchmarks.load import Answer, Load, Question, mixed
from benchmarks.marked_corpus import read_documents, write_marked
from pipelines.corpora import get_corpus
from pipelines.rebuilding import GenerationKeeper
from tests.conftest import PROJECT, index_sources
from tests.pipelines.cluster_samples import CLUSTERS, Place, cluster_place, questions

CORPUS = "us-patent-law"
DOCUMENTS = PROJECT / "samples/us_patent_law_questions/corpus.jsonl"
_PATIENCE = 120


@pytest.mark.parametrize("kind", CLUSTERS)
def test_no_answer_fails_or_is_of_two_generations(
    kind: str, search_server: Callable[[str], str], tmp_path: Path
) -> None:
    place = Place(kind, search_server(kind), search_server("qdrant"), tmp_path)
    documents = read_documents(DOCUMENTS, 60)
    sources = tmp_path / "sources"
    write_marked(documents, sources, MARKS[0])
    with cluster_place(place, [CORPUS]) as index:
        index_sources(CORPUS, index.settings(), index.profile, [sources])
        search = index.search()
        keeper = GenerationKeeper(get_corpus(CORPUS), index.settings(), str(index.profile))
        texts = [*questions()[:4], "MPEP 2106", "37 CFR 1.75", '"new matter" in the drawings']
        asked = [Question("questions", text, partial(search.search, text, top_k=10)) for text in texts]
        asked += [
            Question("filters", f"rules: {text}", partial(search.search, text, top_k=10, is_regulation=True))
            for text in texts[:2]
        ]
        with Load(asked, threads=3) as load:
            first = load.wait_for(lambda answer: not answer.error, _PATIENCE)
            assert first
            write_marked(documents, sources, MARKS[1])
            keeper.rebuild([sources], workers=1)
            assert load.wait_for(lambda answer: answer.version not in ("", first.version), _PATIENCE)
            keeper.roll_back()
            assert load.wait_for(lambda answer: answer.version == first.version, _PATIENCE)

    told = summary(load)
    assert (told["errors"], told["degraded"], told["mixed"]) == ({}, {}, [])
    assert len(told["answers_by_version"]) == 2
    assert all(any(mark in text for mark in MARKS) for answer in load.answers for _, text, _ in answer.hits)


def answer(name: str, version: str, *hits: tuple[str, str, float], degraded: tuple[str, ...] = ()) -> Answer:
    return Answer(Question("questions", name, dict), 0.0, 1.0, version, degraded, hits)


def test_mixed_answers_are_told() -> None:
    one, two = ("A", f"x {MARKS[0]}.", 1.0), ("A", f"x {MARKS[1]}.", 1.0)
    assert mixed([answer("q", "v1", one), answer("q", "v2", two), answer("q", "v1", one)]) == []
    assert mixed([answer("q", "v1", one), answer("q", "v1", ("A", one[1], 0.9))]) == ["q"]
    assert mixed([answer("q", "v1", one), answer("q", "v1", degraded=("vector",))]) == []
    assert mixed([answer("", "v1", one), answer("", "v1", two)]) == []
    assert foreign([answer("q", "v1", one), answer("r", "v2", two), answer("s", "v2", one)]) == ["s"]


def test_every_sentence_is_marked(tmp_path: Path) -> None:
    write_marked([{"id": "A", "text": "One. Two!\nThree"}, {"id": "B", "text": "一。二。"}], tmp_path, "m")
    assert [document["text"] for document in read_documents(tmp_path / "corpus.jsonl")] == [
        "One. m. Two! m. Three m.",
        "一。 m. 二。 m.  m.",
    ]
