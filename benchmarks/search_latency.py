"""
How long a search takes, in process and over HTTP: python -m benchmarks.search_latency [--json]

It asks the index of the data folder (TANSAKU_DATA_DIR), which has to hold the full manual for the bars to mean
anything.
"""

import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import typer

from benchmarks.bars import SHARED, Bar, tell

QUESTIONS = (
    "can a claim be rejected for lack of written description when the original claims contain the feature",
    "time for reply to a final rejection",
    "who may sign a terminal disclaimer",
    "unity of invention in the national stage",
    "608.01(o)",
    "35 U.S.C. 112(b) indefinite terms of degree",
    "declaration under 37 CFR 1.131 to antedate a reference",
    "new matter in the drawings",
    "when is an information disclosure statement considered",
    "petition to revive an abandoned application",
)
_START_SECONDS = 300


def measure(
    count: Annotated[int, typer.Option(help="How many questions.")] = 500,
    url: Annotated[str | None, typer.Option(help="A running service; one is started by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Time searches and the embedder alone."""
    questions = _questions(count)
    results: dict[str, Any] = {"questions": len(questions)}
    results.update(_in_process(questions))
    with _service(url) as (address, process):
        results["http_ms"] = _over_http(address, questions)
        if process:
            results["service_peak_mib"] = _peak_mib(process.pid)
    bars = [
        Bar("in process, P95 ms", results["in_process_ms"]["p95"], 80, most=True),
        Bar("over HTTP, P95 ms", results["http_ms"]["p95"], 100, most=True),
        Bar("our share beside the embedder, P50 ms", results["beside_embedder_ms"]["p50"], 15, most=True),
        Bar("get_mpep_section, P95 ms", results["section_ms"]["p95"], 10, most=True),
    ]
    if "service_peak_mib" in results:
        bars.append(Bar("memory of the service, MiB", results["service_peak_mib"], 2048, most=True))
    raise typer.Exit(0 if tell("search latency", results, bars, as_json) else 1)


def _questions(count: int) -> list[str]:
    """Real questions where they are there; never the same one twice, because vectors of questions are cached."""
    path = SHARED / "eval" / "mpep" / "queries.jsonl"
    if path.is_file():
        with path.open(encoding="utf-8") as file:
            texts = [json.loads(line)["text"] for line in file]
        return texts[:: max(1, len(texts) // count)][:count]
    return [f"{QUESTIONS[number % len(QUESTIONS)]} ({number})" for number in range(count)]


def _in_process(questions: list[str]) -> dict[str, Any]:
    from pipelines.loading import instantiate, resolve
    from pipelines.mpep import MpepSearch

    search = MpepSearch()
    search.warm_up()
    embedder = instantiate(_embedder(resolve("mpep_query")))
    embedder.warm_up()
    for question in QUESTIONS:
        search.search(query=f"warm-up: {question}")
    totals, embeddings, sections = [], [], []
    numbers = []
    for question in questions:
        seconds, answer = _timed(search.search, query=question)
        totals.append(seconds)
        numbers += [hit["section"] for hit in answer["results"] if hit["source"] == "MPEP"][:1]
        embeddings.append(_timed(embedder.run, texts=[question])[0])
    for number in (number for number in dict.fromkeys(numbers) if re.fullmatch(r"[\d.]+(\(\w+\))*", number)):
        sections.append(_timed(search.section, number)[0])
    beside = np.array(totals) - np.array(embeddings)
    rows = {"in_process_ms": totals, "embedder_ms": embeddings, "beside_embedder_ms": beside, "section_ms": sections}
    return {name: _percentiles(values) for name, values in rows.items()}


def _embedder(definition: dict[str, Any]) -> dict[str, Any]:
    """The component of the query pipeline that embeds questions."""
    return next(spec for spec in definition["components"].values() if spec["type"].endswith("TextEmbedder"))


def _timed(function: Callable[..., Any], *args: Any, **options: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    answer = function(*args, **options)
    return time.perf_counter() - started, answer


def _percentiles(seconds: Any) -> dict[str, float]:
    values = np.percentile(np.array(seconds) * 1000, (50, 95, 99))
    return {name: round(float(value), 2) for name, value in zip(("p50", "p95", "p99"), values, strict=True)}


@contextmanager
def _service(url: str | None) -> Any:
    """A service's address, and its process if it was started here."""
    if url:
        yield url, None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", "from cli.main import run; run()", "serve", "--port", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(address, process)
            yield address, process
        finally:
            process.terminate()


def _wait(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline, answer = time.monotonic() + _START_SECONDS, "no answer"
    while time.monotonic() < deadline and process.poll() is None:
        try:
            health = httpx.get(f"{address}/health")
            if health.status_code == 200:
                return
            answer = health.text
        except httpx.TransportError:
            pass
        time.sleep(0.3)
    raise SystemExit(f"the service did not become ready in {_START_SECONDS} s: {answer}")


def _over_http(address: str, questions: list[str]) -> dict[str, float]:
    times = []
    with httpx.Client(base_url=address, timeout=30) as client:
        for question in [*(f"warm-up: {question}" for question in QUESTIONS), *questions]:
            seconds, answer = _timed(client.post, "/search_mpep/run", json={"query": question})
            answer.raise_for_status()
            times.append(seconds)
    return _percentiles(times[len(QUESTIONS) :])


def _peak_mib(pid: int) -> int:
    match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(match[1]) >> 10 if match else 0


if __name__ == "__main__":
    typer.run(measure)
