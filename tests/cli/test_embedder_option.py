"""--embedder-url: an embedding server in place of the profile's embedder, over documents of our own writing."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import app
from cli.output import DONE, FAILED
from pipelines.mpep import MpepSearch
from tests.servers.embedding_server import MODEL, EmbeddingServerProcess

runner = CliRunner()
RULES = """\
{"id": "37CFR-9.1", "title": "Form of drawings", "text": "Drawings of a kite must show its tail."}
{"id": "37CFR-9.2", "title": "Fees for kites", "text": "The fee for a kite is due when it is flown."}
"""
OTHERS = '{"id": "37CFR-9.3", "title": "Strings", "text": "A string must hold the kite in any wind."}\n'


@pytest.fixture(scope="module")
def process() -> Iterator[EmbeddingServerProcess]:
    with EmbeddingServerProcess() as server:
        yield server


@pytest.fixture
def server(process: EmbeddingServerProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> EmbeddingServerProcess:
    monkeypatch.setenv("TANSAKU_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TANSAKU_EMBEDDER_MODEL", MODEL)
    process.behave("well")
    return process


@pytest.fixture
def law(tmp_path: Path) -> Path:
    folder = tmp_path / "law"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(RULES)
    return folder


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def search(*options: str) -> dict[str, Any]:
    code, output, _ = run("search", "us-patent-law", "the tail of a kite", "--json", *options)
    assert code == DONE
    return json.loads(output)


def test_an_index_is_made_and_searched_by_the_server(server: EmbeddingServerProcess, law: Path) -> None:
    code, output, _ = run("index", "us-patent-law", law, "--embedder-url", server.url)
    assert (code, "2 with vectors" in output) == (DONE, True)
    [request] = server.requests()
    assert request["model"] == MODEL
    assert request["key"] == "Bearer none"

    answer = search("--embedder-url", server.url)

    assert answer["degraded"] == []
    assert answer["results"][0]["scores"]["vector_rank"] == 1
    assert [request["input"] for request in server.requests()][1:] == [["warm up"], ["the tail of a kite"]]
    assert "TANSAKU_EMBEDDER_URL" not in os.environ


def test_the_environment_names_the_server_too(
    server: EmbeddingServerProcess, law: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANSAKU_EMBEDDER_URL", server.url)
    monkeypatch.setenv("TANSAKU_EMBEDDER_API_KEY", "none")
    monkeypatch.setenv("TANSAKU_EMBEDDER_MODEL", "some-e5-model")

    run("index", "us-patent-law", law)

    assert all(text.startswith("passage: ") for text in server.requests()[0]["input"])
    assert search()["degraded"] == []
    assert server.requests()[-1]["input"] == ["query: the tail of a kite"]
    assert run("doctor", "us-patent-law")[0] == DONE


def test_a_server_that_moved_made_the_same_vectors(server: EmbeddingServerProcess, law: Path) -> None:
    run("index", "us-patent-law", law, "--embedder-url", server.url)
    elsewhere = server.url.replace("127.0.0.1", "localhost")
    server.behave("well")

    code, output, _ = run("index", "us-patent-law", law, "--embedder-url", elsewhere)

    assert (code, "2 with vectors" in output) == (DONE, True)
    assert server.requests() == []


@pytest.mark.parametrize("other", [(), ("--embedder-url", "the server's, with another model")])
def test_another_embedder_does_not_search_the_index(
    server: EmbeddingServerProcess, law: Path, monkeypatch: pytest.MonkeyPatch, other: tuple[str, ...]
) -> None:
    run("index", "us-patent-law", law, "--embedder-url", server.url)
    options = ()
    if other:
        monkeypatch.setenv("TANSAKU_EMBEDDER_MODEL", "another")
        options = ("--embedder-url", server.url)

    assert search(*options)["degraded"] == ["vector"]
    _, _, errors = run("search", "us-patent-law", "the tail of a kite", *options)
    assert "the index's vectors are by another recipe" in errors
    assert MODEL in errors
    assert "name the embedder that made them (--embedder-url" in errors
    code, output, _ = run("doctor", "us-patent-law", *options)
    assert (code, "vectors by another recipe" in output) == (FAILED, True)


@pytest.mark.parametrize("arguments", [("--resume",), ("--resume", "--no-vectors"), ("{law}",)])
def test_a_run_without_the_server_leaves_the_vectors_of_an_index_alone(
    server: EmbeddingServerProcess, law: Path, arguments: tuple[str, ...]
) -> None:
    run("index", "us-patent-law", law, "--embedder-url", server.url)
    (law / "more").mkdir()
    (law / "more" / "corpus.jsonl").write_text(OTHERS)

    code, _, errors = run("index", "us-patent-law", *(argument.format(law=law) for argument in arguments))

    assert code == FAILED
    assert "the 2 vectors of us-patent-law are by another embedder (ServerDocumentEmbedder {" in errors
    assert f'"model": "{MODEL}"' in errors
    assert "make all vectors anew with: tansaku index us-patent-law --resume --renew-vectors" in errors
    answer = search("--embedder-url", server.url)
    assert (answer["degraded"], answer["results"][0]["scores"]["vector_rank"]) == ([], 1)
    assert run("doctor", "us-patent-law", "--embedder-url", server.url)[0] == DONE


def test_vectors_are_made_anew_by_another_embedder_when_told_to(
    server: EmbeddingServerProcess, law: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("index", "us-patent-law", law, "--embedder-url", server.url)
    monkeypatch.setenv("TANSAKU_EMBEDDER_MODEL", "another")

    code, output, _ = run(
        "index", "us-patent-law", "--resume", "--renew-vectors", "--embedder-url", server.url, "--json"
    )

    assert (code, json.loads(output)["vectors"]) == (DONE, 2)
    assert server.requests()[-1]["model"] == "another"
    assert search("--embedder-url", server.url)["degraded"] == []


def test_a_server_that_is_down_degrades_a_search(law: Path, server: EmbeddingServerProcess) -> None:
    with EmbeddingServerProcess() as own:
        run("index", "us-patent-law", law, "--embedder-url", own.url)
        own.kill()
        answer = search("--embedder-url", own.url)
        _, _, errors = run("search", "us-patent-law", "the tail of a kite", "--embedder-url", own.url)

    assert answer["degraded"] == ["vector"]
    assert answer["results"][0]["id"] == "37CFR-9.1#1"
    assert f"the embedding server {own.url} failed" in errors


def test_health_shows_the_server(server: EmbeddingServerProcess, law: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_EMBEDDER_URL", server.url)
    run("index", "us-patent-law", law)
    searching = MpepSearch()
    searching.warm_up()
    assert searching.health()["embedder"] == {"model": MODEL, "url": server.url, "ready": True, "error": ""}

    server.behave("shorter")
    searching.search(query="a string in the wind")
    told = searching.health()

    assert told["degraded"] == ["vector"]
    assert "vectors of 3 numbers where the index takes 384" in told["detail"]
    server.behave("well")
    assert searching.health()["degraded"] == []


def test_a_run_that_the_server_ended_goes_on_where_it_stopped(server: EmbeddingServerProcess, law: Path) -> None:
    run("index", "us-patent-law", law, "--embedder-url", server.url)
    (law / "more").mkdir()
    (law / "more" / "corpus.jsonl").write_text(OTHERS)
    server.behave("shorter")

    code, _, errors = run("index", "us-patent-law", law, "--embedder-url", server.url)

    assert code == FAILED
    assert f"embedding failed: the embedding server {server.url} answered" in errors
    assert "embed them later with: tansaku index us-patent-law --resume" in errors
    server.behave("well")
    code, output, _ = run("index", "us-patent-law", "--resume", "--embedder-url", server.url)
    assert (code, "3 with vectors" in output) == (DONE, True)
    assert [len(request["input"]) for request in server.requests()] == [1]


def test_vectors_of_another_length(server: EmbeddingServerProcess, law: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANSAKU_EMBEDDER_DIMENSION", "3")
    server.behave("shorter")

    code, output, _ = run("index", "us-patent-law", law, "--embedder-url", server.url)

    assert (code, "2 with vectors" in output) == (DONE, True)
    assert search("--embedder-url", server.url)["degraded"] == []


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://tei/v1", "http://", ""])
@pytest.mark.parametrize("command", [("check",), ("search", "us-patent-law", "kites"), ("render", "mpep_query")])
def test_what_is_no_url_is_refused(command: tuple[str, ...], url: str, server: EmbeddingServerProcess) -> None:
    code, _, errors = run(*command, "--embedder-url", url)

    assert code != DONE
    assert f"--embedder-url (TANSAKU_EMBEDDER_URL): {url!r} is not allowed" in errors


def test_check_takes_the_server_for_the_embedder(server: EmbeddingServerProcess) -> None:
    assert run("check", "--embedder-url", server.url)[0] == DONE
