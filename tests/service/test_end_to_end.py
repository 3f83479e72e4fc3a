"""`tansaku serve` as a user starts it, on an empty data folder, and every command of the README against it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

PROJECT = Path(__file__).resolve().parents[2]
README = (PROJECT / "README.md").read_text(encoding="utf-8")
TANSAKU = [sys.executable, "-c", "from cli.main import run; run()"]
QUESTION = "can a claim be rejected for lack of written description when the original claims contain the feature?"


@dataclass
class Service:
    """A running `tansaku serve`."""

    process: subprocess.Popen[str]
    announced: dict[str, str]
    client: httpx.Client
    log: Path
    environment: dict[str, str]
    seen: list[dict[str, Any]]

    def search(self, query: str, **arguments: Any) -> dict[str, Any]:
        """The result of a search."""
        answer = self.client.post("/search_mpep/run", json={"query": query, **arguments})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    def section(self, number: str) -> httpx.Response:
        """The answer for a section."""
        return self.client.post("/get_mpep_section/run", json={"section_number": number})


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("service")
    environment = {**os.environ, "TANSAKU_DATA_DIR": str(folder / "data"), "COLUMNS": "200"}
    log = folder / "log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            [*TANSAKU, "serve", "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=PROJECT,
            env=environment,
        )
    try:
        assert process.stdout
        announced = json.loads("".join(process.stdout.readline() for _ in range(6)))
        with httpx.Client(base_url=announced["rest"], timeout=300, trust_env=False) as client:
            service = Service(process, announced, client, log, environment, [])
            _wait_until_ready(service)
            yield service
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=120) == 0
    finally:
        process.kill()
        process.communicate()


def _wait_until_ready(service: Service) -> None:
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert service.process.poll() is None, service.log.read_text()
        answer = service.client.get("/health")
        service.seen.append({"code": answer.status_code, **answer.json()})
        if answer.status_code == 200:
            return
        time.sleep(0.5)
    raise AssertionError(service.log.read_text())


def test_the_first_start_indexes_the_samples_and_says_so(service):
    first = service.seen[0]

    assert (first["code"], first["status"]) == (503, "starting")
    assert any("samples are being indexed first" in state.get("detail", "") for state in service.seen)
    assert "tansaku index us-patent-law PATH..." in service.log.read_text()


def test_the_health_names_what_is_ready(service):
    health = service.client.get("/health").json()

    assert health["status"] == "ready"
    assert {"tansaku", "haystack-ai", "hayhooks"} <= set(health["versions"])
    assert {"pipelines", "stores", "embedder"} <= set(health)


def test_a_question_finds_passages_with_their_reasons(service):
    result = service.search(QUESTION, top_k=3)

    hits = result["results"]
    assert [hit["rank"] for hit in hits] == [1, 2, 3]
    assert result["degraded"] == []
    for hit in hits:
        assert 0 <= hit["relevance_score"] <= 1
        assert {"id", "source", "section", "title", "breadcrumb", "url", "text", "highlights", "scores"} <= set(hit)
        assert all(0 <= start < end <= len(hit["text"]) for start, end in hit["highlights"])


def test_a_number_comes_first(service):
    assert service.search("608.01(o)")["results"][0]["section"] == "608.01(o)"


def test_filters_apply(service):
    hits = service.search("written description of the invention", source_filter="35_USC", top_k=5)["results"]

    assert len(hits) == 5
    assert {hit["source"] for hit in hits} == {"35_USC"}


def test_a_section_and_one_that_doesnt_exist(service):
    found, unknown = service.section("608.01"), service.section("9999")

    chunks = found.json()["result"]["chunks"]
    assert chunks[0]["metadata"]["section"] == "608.01"
    assert found.json()["result"]["total_chunks"] == len(chunks)
    assert (unknown.status_code, unknown.json()) == (404, {"error": "No content found for MPEP section 9999"})


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def _here(text: str, service: Service) -> str:
    bin_folder = Path(sys.executable).parent
    return text.replace("http://127.0.0.1:1416", service.announced["rest"]).replace(".venv/bin/", f"{bin_folder}/")


def test_the_readme_says_where_it_listens():
    for page in ("", "/docs", "/mcp", "/health"):
        assert f"http://127.0.0.1:1416{page}\n" in README


@pytest.mark.parametrize("block", _blocks("sh"))
def test_the_commands_of_the_readme_work(service, block):
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", _here(block, service)],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env=service.environment,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert '"error"' not in done.stdout


@pytest.mark.parametrize("block", _blocks("python"))
def test_the_client_of_the_readme_works(service, block):
    done = subprocess.run(
        [sys.executable, "-c", _here(block, service)], capture_output=True, text=True, cwd=PROJECT, check=False
    )

    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout.replace("'", '"'))) == 3


def test_a_new_index_is_seen_without_a_restart(service, tmp_path):
    """Last of the searches: the samples leave the index here."""
    before = service.section("2106").status_code
    page = (PROJECT / "samples" / "us_patent_law" / "mpep" / "s608.html").read_bytes()
    (tmp_path / "s608.html").write_bytes(page)
    subprocess.run(
        [*TANSAKU, "index", "us-patent-law", str(tmp_path)], check=True, capture_output=True, env=service.environment
    )

    assert (before, service.section("2106").status_code) == (200, 404)
    assert {hit["section"][:3] for hit in service.search("608.01(o)")["results"]} == {"608"}


def test_the_log_has_one_line_a_request_and_no_queries(service):
    lines = [line for line in service.log.read_text().splitlines() if line.startswith("{")]
    requests = [line for line in map(json.loads, lines) if line["message"] == "request"]

    assert {"method", "path", "status", "ms", "request_id"} <= set(requests[0])
    assert {line["path"] for line in requests} >= {"/health", "/search_mpep/run", "/get_mpep_section/run"}
    assert QUESTION[:30] not in service.log.read_text()
