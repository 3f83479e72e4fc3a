"""Searches that go on while another generation of the index takes the place of the one they use."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from pipelines.corpora import get_corpus
from pipelines.index_watch import IndexWatch
from pipelines.indexing import IndexRun
from pipelines.manifest import Manifest
from pipelines.manifest_database import manifest_place
from pipelines.mpep import MpepSearch
from pipelines.rebuilding import GenerationKeeper
from pipelines.settings import Settings
from tests.conftest import PROJECT, SampleIndex, allow_word_embedders
from tests.servers.postgres_server import PostgresServer

SAMPLES = PROJECT / "samples" / "us_patent_law"
QUERY = "time for reply"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A few sources of the samples."""
    allow_word_embedders(monkeypatch)
    chosen = tmp_path / "chosen"
    chosen.mkdir()
    for name in ("s710.html", "s714.html"):
        shutil.copy(SAMPLES / "mpep" / name, chosen)
    yield chosen


def until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < deadline, "nothing happened for half a minute"
        time.sleep(0.02)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_searches_go_on_during_a_rebuild_and_every_answer_is_of_one_generation(
    sample_index: SampleIndex, folder: Path, tmp_path: Path, request: pytest.FixtureRequest, database: str
) -> None:
    url = SecretStr(request.getfixturevalue("postgres_url")) if database == "postgresql" else None
    settings, profile = Settings(data_dir=tmp_path / "data", database_url=url), str(sample_index.profile)
    corpus = get_corpus("us-patent-law")
    IndexRun(corpus, settings, profile, workers=1).run([folder])
    search = MpepSearch(profile, settings)
    search.warm_up()
    first = search.search(QUERY)["corpus"]["version"]
    answers: list[tuple[str, frozenset[str]]] = []
    failures: list[BaseException] = []
    ended = threading.Event()

    def ask() -> None:
        try:
            while not ended.is_set():
                answer = search.search(QUERY, top_k=20)
                answers.append((answer["corpus"]["version"], frozenset(hit["section"] for hit in answer["results"])))
        except BaseException as error:
            failures.append(error)

    askers = [threading.Thread(target=ask) for _ in range(2)]
    for asker in askers:
        asker.start()
    try:
        (folder / "s714.html").unlink()
        shutil.copy(SAMPLES / "mpep" / "s706.html", folder)
        GenerationKeeper(corpus, settings, profile).rebuild([folder], workers=1)
        until(lambda: bool(failures) or answers[-1][0] != first)
        GenerationKeeper(corpus, settings, profile).roll_back()
        until(lambda: bool(failures) or answers[-1][0] == first)
    finally:
        ended.set()
        for asker in askers:
            asker.join()

    assert failures == []
    found: dict[str, set[frozenset[str]]] = {}
    for version, sections in answers:
        found.setdefault(version, set()).add(sections)
    assert [len(sections) for sections in found.values()] == [1, 1]
    assert search.health()["corpus"]["generation"] == 1


def test_a_generation_that_cant_be_searched_leaves_the_one_before_at_work(
    sample_index: SampleIndex, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.corpus_search._RETRY_SECONDS", 0.0)
    settings, profile = Settings(data_dir=tmp_path / "data"), str(sample_index.profile)
    corpus = get_corpus("us-patent-law")
    IndexRun(corpus, settings, profile, workers=1).run([folder])
    search = MpepSearch(profile, settings)
    search.warm_up()
    GenerationKeeper(corpus, settings, profile).rebuild([folder], workers=1)
    second = settings.generation_dir("us-patent-law", 2)
    (second / "keyword").rename(second / "away")

    until(
        lambda: search.search(QUERY)["results"] != [] and "generation 2 is active" in search.health().get("detail", "")
    )
    assert search.health()["corpus"]["generation"] == 1

    shutil.rmtree(second / "keyword", ignore_errors=True)
    (second / "away").rename(second / "keyword")
    until(lambda: search.health()["corpus"]["generation"] == 2)
    assert "detail" not in search.health()


def test_a_database_that_goes_down_leaves_what_was_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("pipelines.index_watch._SECONDS", 0.0)
    with PostgresServer() as server:
        settings = Settings(data_dir=tmp_path, database_url=SecretStr(server.url))
        with Manifest(manifest_place(settings, "notes", 1)) as manifest:
            manifest.change("INSERT INTO chunks VALUES ('A#1', 'A', 'o', 't', 'm', 't', 'm')")
        watch = IndexWatch(settings, "notes")
        known = watch.state()
        server.kill()

        until(lambda: watch.state() is known and bool(watch.problem))
        assert "can't be used" in watch.problem

        server.start()
        until(lambda: watch.state() is known and not watch.problem)
        with Manifest(manifest_place(settings, "notes", 1)) as manifest:
            manifest.change("INSERT INTO chunks VALUES ('A#2', 'A', 'o', 't', 'm', 't', 'm')")
        until(lambda: watch.state().info.chunks == 2)
