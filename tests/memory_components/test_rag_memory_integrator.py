"""The memory as searches use it, over each database."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from haystack import Pipeline
from haystack.utils import Secret

from components.analysis.analyzed_text import AnalyzedText
from components.retrieval.ranking import Candidate, Candidates
from components.retrieval.vectors import QueryVectors
from memory_components.errors import MemoryInputError, MemoryStoreError
from memory_components.feedback_writer import FeedbackWriter
from memory_components.memory_booster import MemoryBooster
from memory_components.memory_config import MemoryConfig, MemoryConfigError
from memory_components.rag_memory_integrator import RAGMemoryIntegrator
from memory_components.records import Shown
from memory_components.semantic_enricher import SemanticEnricher
from tests.memory_components.word_embedder import OneWordEmbedder, words_vector

PROJECT = Path(__file__).parents[2]
QUESTION = "when is leave granted in summer"
VOCABULARY = """
EV-2024-001: {definition: the battery project, type: PROJECT_ID, related: [Kaze], aliases: [next battery]}
Kaze: {definition: a quiet fan, type: PRODUCT, confidence: 0.5}
Obon: {definition: holidays in August, related: [Kaze]}
"""
Remember = Callable[..., RAGMemoryIntegrator]


@pytest.fixture
def remember(place: Path | str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Remember]:
    """Opens the memory, each time as a process of its own would."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.delenv("MEMORY_URL", raising=False)
    if isinstance(place, str):
        monkeypatch.setenv("MEMORY_URL", place)
    opened: list[RAGMemoryIntegrator] = []

    def start(config: str | None = None, broken: bool = False) -> RAGMemoryIntegrator:
        if config is not None:
            (tmp_path / "memory_config.yaml").write_text(config, encoding="utf-8")
        path = str(tmp_path / "memory_config.yaml") if config is not None else None
        url = Secret.from_env_var("MEMORY_URL", strict=False)
        # Another spelling of the path, so that parts of other integrators aren't shared.
        file = f"{tmp_path}{os.sep}{'.' + os.sep if len(opened) % 2 else ''}memory.sqlite"
        opened.append(RAGMemoryIntegrator(file, OneWordEmbedder(broken), path, url))
        return opened[-1]

    yield start
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(remember: Remember) -> RAGMemoryIntegrator:
    return remember()


def searched(memory: RAGMemoryIntegrator, user: str = "", query: str = QUESTION, *shown: str) -> str:
    results = [Shown(name, rank, 1 / rank) for rank, name in enumerate(shown or ("HR-7#1", "HR-8#1", "IT-1#2"), 1)]
    return memory.record_search_session(query, results, words_vector(query), user).id


def boosts(memory: RAGMemoryIntegrator, user: str = "", query: str = QUESTION, **scores: float) -> dict[str, float]:
    """The boosts of candidates far enough from each other that no place limit cuts them."""
    given = scores or {"HR-7#1": 0.9, "HR-8#1": 0.5, "IT-1#2": 0.1}
    candidates = [Candidate(name, score) for name, score in given.items()]
    found = memory.compute_memory_boost(query, words_vector(query), candidates, user)
    return {name: pytest.approx(value, abs=1e-5) for name, value in found.boosts.items()}


def test_a_rating_acts_on_the_document_that_it_names(memory: RAGMemoryIntegrator) -> None:
    memory.record_feedback(searched(memory, "ann"), 5, "HR-8#1")

    assert boosts(memory, "bob") == {"HR-8#1": 0.1}
    assert boosts(memory, "ann") == {"HR-8#1": 0.2}
    assert boosts(memory, "ann", "how do printers work") == {}


def test_a_rating_without_a_document_acts_on_all_by_their_ranks(memory: RAGMemoryIntegrator) -> None:
    """Four stars are 0.1, times 1, 1/2 and 1/3."""
    memory.record_feedback(searched(memory, "ann"), 4)

    assert boosts(memory, "ann") == {"HR-7#1": 0.1, "HR-8#1": 0.05, "IT-1#2": 0.1 / 3}


def test_a_rating_of_a_record_acts_on_its_best_chunk(memory: RAGMemoryIntegrator) -> None:
    memory.record_feedback(searched(memory, "ann"), 5, "HR-8")

    assert boosts(memory, "bob", QUESTION, **{"HR-8#4": 0.9, "HR-7#1": 0.5, "HR-8#1": 0.1}) == {"HR-8#4": 0.1}


@pytest.mark.parametrize(("rating", "expected"), [(5, 0.2), (4, 0.1), (3, None), (2, None), (1, None)])
def test_stars(memory: RAGMemoryIntegrator, rating: int, expected: float | None) -> None:
    memory.record_feedback(searched(memory, "ann"), rating, "HR-8#1")

    assert boosts(memory, "ann") == ({"HR-8#1": expected} if expected else {})


def test_demotion_is_a_setting(remember: Remember) -> None:
    memory = remember("boost: {allow_demotion: true}")
    memory.record_feedback(searched(memory, "ann"), 1, "HR-8#1")

    assert (boosts(memory, "ann"), boosts(memory)) == ({"HR-8#1": -0.2}, {"HR-8#1": -0.1})


def test_one_vote_a_user_and_document_and_the_last(memory: RAGMemoryIntegrator) -> None:
    """In the same session, in another, and for all that was shown."""
    session = searched(memory, "ann")
    first = memory.record_feedback(session, 5, "HR-8#1")
    assert memory.record_feedback(session, 5, "HR-8#1") == first
    for _ in range(3):
        memory.record_feedback(searched(memory, "ann"), 5, "HR-8#1")
    assert boosts(memory, "ann") == {"HR-8#1": 0.2}

    memory.record_feedback(searched(memory, "ann"), 1, "HR-8#1")
    assert boosts(memory, "ann") == {}
    memory.record_feedback(searched(memory, "ann"), 4)
    assert boosts(memory, "ann")["HR-8#1"] == 0.05


def test_the_full_boost_needs_three_users(memory: RAGMemoryIntegrator) -> None:
    found = []
    for user in ("ann", "bob", "cem", "dan"):
        memory.record_feedback(searched(memory, user), 5, "HR-8#1")
        found.append(boosts(memory, "eve")["HR-8#1"])
    assert found == [0.1, 0.2, 0.3, 0.3]


def test_those_who_dont_say_who_they_are_are_one_user(memory: RAGMemoryIntegrator) -> None:
    for _ in range(5):
        memory.record_feedback(searched(memory), 5, "HR-8#1")

    assert boosts(memory) == {"HR-8#1": 0.1}


def test_ten_hostile_sessions_and_how_they_are_undone(memory: RAGMemoryIntegrator) -> None:
    """Three friends made HR-7 first; one user gives it one star and five to the last, ten times."""
    scores = {f"D-{n}#1": 0.9 - n / 1000 for n in range(20)}
    candidates = [Candidate(name, score) for name, score in scores.items()]

    def order() -> list[str]:
        found = memory.compute_memory_boost(QUESTION, words_vector(QUESTION), candidates, "zoe").boosts
        return sorted(scores, key=lambda name: (-scores[name] - found.get(name, 0), name))

    for user in ("ann", "bob", "cem"):
        memory.record_feedback(searched(memory, user, QUESTION, *scores), 5, "D-2#1")
    before, since = order(), time.time()
    for _ in range(10):
        session = searched(memory, "eve", QUESTION, *scores)
        memory.record_feedback(session, 1, "D-2#1")
        for bad in ("D-19#1", "D-18#1", "D-3#1"):
            memory.record_feedback(session, 5, bad)

    after = order()
    assert before[0] == "D-2#1"
    assert max(abs(after.index(name) - place) for place, name in enumerate(before)) <= 1
    assert memory.store.ratings.revoke("eve", since, time.time()) == 40
    assert order() == before


def test_others_processes_see_a_rating_at_once(remember: Remember) -> None:
    ours, theirs = remember(), remember()
    session = searched(ours, "ann")

    theirs.record_feedback(session, 5, "HR-8#1")

    assert boosts(ours, "ann") == {"HR-8#1": 0.2}


@pytest.mark.parametrize(
    ("rating", "doc", "user", "code", "message"),
    [
        (0, None, "", "RATING_OUT_OF_RANGE", "rating: 0 is not allowed; it must be an integer from 1 to 5"),
        (6, None, "", "RATING_OUT_OF_RANGE", "rating: 6"),
        (True, None, "", "RATING_OUT_OF_RANGE", "rating: True"),
        (5, "HR-9#1", "", "DOCUMENT_NOT_SHOWN", "doc_id: 'HR-9#1' was not among the results of that session"),
        (5, None, "bob", "USER_MISMATCH", "user_id: 'bob' did not make that search"),
        (5, None, "x" * 257, "NAME_TOO_LONG", "user_id: it has 257 characters; it must have 256 at most"),
    ],
)
def test_ratings_that_are_refused(
    memory: RAGMemoryIntegrator, rating: int, doc: str | None, user: str, code: str, message: str
) -> None:
    session = searched(memory, "ann")

    with pytest.raises(MemoryInputError, match=message) as caught:
        memory.record_feedback(session, rating, doc, user_id=user)
    assert caught.value.code == code
    assert memory.store.episodes.count() == 0


def test_sessions_expire(remember: Remember) -> None:
    memory = remember("sessions: {feedback_hours: 0}")

    with pytest.raises(MemoryInputError, match="search again") as caught:
        memory.record_feedback(searched(memory), 5)
    assert caught.value.code == "SESSION_NOT_FOUND"


def test_odd_texts_are_kept(memory: RAGMemoryIntegrator) -> None:
    session = memory.record_search_session("a\0b\ud800", [Shown("HR-7#1", 1)], words_vector("a b"), "u")
    memory.record_feedback(session.id, 5, comment="\0")

    assert memory.explain(session.id)["query"] == "a\ufffdb?"


def test_no_vector_is_made_up(remember: Remember) -> None:
    memory = remember(broken=True)
    session = memory.record_search_session(QUESTION, [Shown("HR-7#1", 1)])

    with pytest.raises(MemoryStoreError, match="the embedder is out of order, so nothing can be remembered: no model"):
        memory.record_feedback(session.id, 5)


def test_an_answer_is_explained(memory: RAGMemoryIntegrator) -> None:
    rated = searched(memory, "ann")
    memory.record_feedback(rated, 5, "HR-8#1", "just what I needed")
    shown = [Shown("HR-8#1", 1, 0.6, 0.1), Shown("HR-7#1", 2, 0.5)]
    session = memory.record_search_session(QUESTION, shown, words_vector(QUESTION), "bob", past_sessions={rated: 1.0})

    why = memory.explain(session.id)

    assert why["results"][0] == {"doc_id": "HR-8#1", "rank": 1, "score": 0.6, "memory_boost": 0.1}
    (used,) = why["past_sessions_used"]
    assert (used["session_id"], used["query"], used["similarity"], used["forgotten"]) == (rated, QUESTION, 1.0, False)
    (given,) = used["ratings"]
    assert (given["user_id"], given["doc_id"], given["rating"], given["comment"], given["revoked_at"]) == (
        "ann",
        "HR-8#1",
        5,
        "just what I needed",
        None,
    )
    with pytest.raises(MemoryInputError, match="there is no session 'none'"):
        memory.explain("none")


def analysed(text: str) -> AnalyzedText:
    return AnalyzedText(text, "en")


def vectors(text: str) -> QueryVectors:
    return QueryVectors((words_vector(text),), (text,))


def test_the_booster_in_a_pipeline_file(memory: RAGMemoryIntegrator, monkeypatch: pytest.MonkeyPatch) -> None:
    """0.5 + 0.1 comes before 0.55, and after the exact tier; the pipeline's file holds no password."""
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "memory_components.*,components.*,tests.*")
    rated = searched(memory, "ann")
    memory.record_feedback(rated, 5, "HR-8#1")
    pipeline = Pipeline()
    pipeline.add_component("booster", MemoryBooster(memory))
    written = pipeline.dumps()
    booster = Pipeline.loads(written).get_component("booster")
    assert "postgresql" not in written
    given = Candidates((Candidate("X", 0.1, 0), Candidate("HR-7#1", 0.55), Candidate("HR-8#1", 0.5, scores={"k": 1})))

    booster.warm_up()
    answer = booster.run(given, analysed(QUESTION), vectors(QUESTION), user_id="bob", groups=["all"])
    booster.memory.close()

    assert [c.id for c in answer["candidates"].items] == ["X", "HR-8#1", "HR-7#1"]
    assert answer["candidates"].items[1].scores == pytest.approx({"k": 1, "memory_boost": 0.1, "final_score": 0.6})
    assert answer["candidates"].items[2].scores == pytest.approx({"memory_boost": 0, "final_score": 0.55})
    assert (answer["past_sessions"], answer["degraded"]) == ({rated: pytest.approx(1.0)}, [])


def test_the_booster_without_vectors_says_so(memory: RAGMemoryIntegrator) -> None:
    given = Candidates((Candidate("HR-7#1", 0.5),))

    answer = MemoryBooster(memory).run(given, analysed(QUESTION), QueryVectors())

    assert [(c.id, c.score) for c in answer["candidates"].items] == [("HR-7#1", 0.5)]
    assert (answer["past_sessions"], answer["degraded"]) == ({}, ["memory"])
    empty = Candidates()
    assert MemoryBooster(memory).run(empty, analysed(QUESTION), QueryVectors())["degraded"] == []


def test_without_a_database_searches_go_on() -> None:
    url = Secret.from_token("postgresql://tansaku@127.0.0.1:1/none")
    memory = RAGMemoryIntegrator("", OneWordEmbedder(), database_url=url)
    booster, enricher = MemoryBooster(memory), SemanticEnricher(memory)
    booster.warm_up()
    enricher.warm_up()

    boosted = booster.run(Candidates((Candidate("HR-7#1", 0.5),)), analysed(QUESTION), vectors(QUESTION))
    enriched = enricher.run(analysed(QUESTION), [{"text": "HR", "type": "ORG"}])

    assert (boosted["degraded"], enriched["degraded"]) == (["memory"], ["memory"])
    assert enriched["entities"] == [{"text": "HR", "type": "ORG"}]


def test_searches_go_on_without_a_database_that_hangs(
    memory: RAGMemoryIntegrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    hurried = RAGMemoryIntegrator(memory.path, memory.embedder, memory.config, memory.database_url, search_seconds=0.05)
    assert memory.store is hurried.store
    monkeypatch.setattr(memory.store, "changes_since", lambda version: released.wait())
    given = Candidates((Candidate("HR-7#1", 0.5),))

    boosted = MemoryBooster(hurried).run(given, analysed(QUESTION), vectors(QUESTION))
    enriched = SemanticEnricher(hurried).run(analysed(QUESTION))
    released.set()

    assert (boosted["degraded"], enriched["degraded"]) == (["memory"], ["memory"])
    assert [c.id for c in boosted["candidates"].items] == ["HR-7#1"]
    monkeypatch.undo()
    assert MemoryBooster(memory).run(given, analysed(QUESTION), vectors(QUESTION))["degraded"] == []


def test_feedback_from_a_pipeline(memory: RAGMemoryIntegrator) -> None:
    session = searched(memory, "ann")
    writer = FeedbackWriter(memory)
    writer.warm_up()

    kept, refused = writer.run(session, 5, "HR-7#1"), writer.run("none", 5)

    assert kept["refused"] == {} == refused["feedback"]
    assert kept["feedback"]["memory_id"] == session
    assert (refused["refused"]["code"], refused["refused"]["details"]) == ("SESSION_NOT_FOUND", {"session_id": "none"})


@pytest.fixture
def taught(remember: Remember, tmp_path: Path) -> RAGMemoryIntegrator:
    (tmp_path / "terms.yaml").write_text(VOCABULARY, encoding="utf-8")
    return remember("semantic: {vocabulary: terms.yaml, min_similarity: 0.3}")


def test_names_become_entities_with_factors(taught: RAGMemoryIntegrator) -> None:
    """5 x (1 + 1/2) = 7.5; 4 x (1 + .5/2) = 5; Obon has no type."""
    found = taught.enrich_query_context("ＥＶ‐２０２４‐００１ with kaze at Obon", named_only=True)

    assert [(entity["text"], entity["type"], entity["boost"]) for entity in found.entities] == [
        ("ＥＶ‐２０２４‐００１", "PROJECT_ID", 7.5),
        ("kaze", "PRODUCT", 5.0),
    ]
    assert [known.concept.name for known in found.concepts] == ["EV-2024-001", "Kaze", "Obon"]
    assert set(found.related) == {"Kaze", "EV-2024-001", "Obon"}


def test_the_enricher_adds_to_what_was_found_before(taught: RAGMemoryIntegrator) -> None:
    enricher = SemanticEnricher(taught)

    answer = enricher.run(analysed("next battery of Acme"), [{"text": "Acme", "type": "ORG", "start": 16}])

    assert answer["entities"] == [
        {"text": "Acme", "type": "ORG", "start": 16},
        {"text": "next battery", "type": "PROJECT_ID", "concept": "EV-2024-001", "boost": 7.5},
    ]
    assert (answer["boosts"], answer["degraded"]) == ({"next battery": 7.5}, [])
    assert answer["concepts"][0]["related"] == ["Kaze"]
    with pytest.raises(ValueError, match="top_k must be 1 or more, not 0"):
        SemanticEnricher(taught, top_k=0)


def test_concepts_by_meaning_come_after_those_named(taught: RAGMemoryIntegrator) -> None:
    """ "holidays" and "August" are two of four words, and two of Obon's four: a cosine of 0.5."""
    found = taught.semantic.retrieve_semantic_knowledge("Kaze holidays before August", 5)

    assert [(known.concept.name, known.matched) for known in found] == [("Kaze", "Kaze"), ("Obon", "")]
    assert found[1].score == pytest.approx(0.5)


def test_a_changed_vocabulary_is_read_again(taught: RAGMemoryIntegrator, tmp_path: Path) -> None:
    semantic = taught.semantic
    embedder = taught.embedder
    assert isinstance(embedder, OneWordEmbedder)
    assert (semantic.related_concepts("EV-2024-001", 1), semantic.related_concepts("EV-2024-001", 2)) == (
        ["Kaze"],
        ["Kaze", "Obon"],
    )
    semantic.store_concept("Mizu", "a pump", related=["Kaze"])
    embedded = embedder.count
    (tmp_path / "terms.yaml").write_text("Kaze: {definition: a quiet fan, aliases: [KZ]}\nNew: {definition: more}\n")

    loaded = semantic.load_domain_vocabulary(tmp_path / "terms.yaml")

    # Kaze's definition was embedded before.
    assert ((loaded.added, loaded.changed, loaded.unchanged, loaded.removed), embedder.count) == (
        (1, 1, 0, 2),
        embedded + 1,
    )
    assert [k.concept.name for k in semantic.retrieve_semantic_knowledge("KZ Obon Mizu", named_only=True)] == [
        "Kaze",
        "Mizu",
    ]
    assert semantic.related_concepts("unknown") == []


def test_a_wrong_vocabulary_leaves_the_concepts_as_they_are(
    taught: RAGMemoryIntegrator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_components.semantic_memory._LOOK_SECONDS", 0.0)
    taught.warm_up()
    (tmp_path / "terms.yaml").write_text("Kaze: {}\n", encoding="utf-8")

    assert [k.matched for k in taught.semantic.retrieve_semantic_knowledge("kaze", named_only=True)] == ["kaze"]
    assert "terms.yaml:1: Kaze: `definition:` is missing" in taught.health()["error"]
    (tmp_path / "terms.yaml").write_text("Kaze: {definition: a loud fan}\n", encoding="utf-8")
    assert taught.semantic.retrieve_semantic_knowledge("kaze", named_only=True)[0].concept.definition == "a loud fan"
    assert taught.health() == {**taught.health(), "concepts": 1, "error": ""}


def test_episodes_and_concepts_are_tied(taught: RAGMemoryIntegrator) -> None:
    kept = taught.episodic.store_experience("tests of the next battery", {}, {"note": "passed"}, reward=0.5)
    other = taught.episodic.store_experience("lunch", {}, {}, reward=0.0, importance=0.9)

    found = taught.episodic.integrate_episodic_semantic("next battery tests")

    # Three of three words stand in the five of the other question: 3 / sqrt(15).
    strength = pytest.approx(3 / 15**0.5, abs=1e-5)
    assert found["associations"] == {(kept.id, "EV-2024-001"): strength}
    assert [(e.id, cosine) for e, cosine in found["episodes"]] == [(kept.id, strength), (other.id, 0)]
    assert taught.store.episodes.concepts_of([kept.id]) == {kept.id: {"EV-2024-001": strength}}
    assert other.importance == 0.9


@pytest.mark.parametrize(
    ("context", "reward", "importance", "code"),
    [
        (" ", 0.0, None, "CONTEXT_EMPTY"),
        ("a", 1.5, None, "REWARD_OUT_OF_RANGE"),
        ("a", float("nan"), None, "REWARD_OUT_OF_RANGE"),
        ("a", 0.0, 0.01, "IMPORTANCE_OUT_OF_RANGE"),
    ],
)
def test_experiences_that_are_refused(
    memory: RAGMemoryIntegrator, context: str, reward: float, importance: float | None, code: str
) -> None:
    with pytest.raises(MemoryInputError) as caught:
        memory.episodic.store_experience(context, {}, {}, reward, importance=importance)
    assert caught.value.code == code


def test_what_is_asked_again_is_more_important(memory: RAGMemoryIntegrator) -> None:
    first = memory.episodic.store_experience(QUESTION, {}, {}, reward=1.0)
    memory.episodic.store_experience("how do printers work", {}, {}, reward=1.0)
    for _ in range(3):
        memory.episodic.store_experience(QUESTION, {}, {}, reward=1.0)

    again = memory.store.episodes.get(first.id)
    assert again is not None
    assert (first.recurrence, again.recurrence) == (0, 3)
    assert again.importance > first.importance


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("boosts: {}", "the file: 'boosts' is none of boost, sessions, semantic, forgetting, upkeep"),
        ("boost: {alfa: 1}", "boost: 'alfa' is none of alpha"),
        ("boost: {alpha: 2}", "boost: alpha must be from 0 to 1, not 2"),
        ("boost: [1]", "boost must be a mapping"),
        ("upkeep: {gate: luck}", "upkeep: gate must be one of trained, rule, not 'luck'"),
        ("boost: {", "can't be read"),
    ],
)
def test_a_wrong_configuration(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "memory_config.yaml").write_text(text, encoding="utf-8")

    with pytest.raises(MemoryConfigError, match=rf"memory_config\.yaml: {message}"):
        RAGMemoryIntegrator.from_config(tmp_path / "memory_config.yaml", str(tmp_path / "m"), OneWordEmbedder())


def test_the_projects_own_configuration_says_the_defaults() -> None:
    own = MemoryConfig.read(PROJECT / "config" / "memory_config.yaml")

    defaults = MemoryConfig()
    assert (own.boost, own.sessions, own.forgetting, own.upkeep) == (
        defaults.boost,
        defaults.sessions,
        defaults.forgetting,
        defaults.upkeep,
    )
    assert own.semantic.vocabulary == str(PROJECT / "config" / "domain_terms.yaml")
