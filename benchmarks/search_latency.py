"""
How long a search takes, in process and over HTTP: python -m benchmarks.search_latency [--pipeline NAME] [--json]

`mpep_query` asks the index of the data folder (TANSAKU_DATA_DIR), which has to hold the full manual for the bars to
mean anything. `rag_query` asks an index of 50,000 chunks like a company's, which is built first; that takes minutes.
"""

import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import httpx
import numpy as np
import typer

from benchmarks.bars import Bar, tell
from benchmarks.questions import ENGLISH, JAPANESE, questions
from benchmarks.timing import percentiles, timed
from pipelines.settings import Settings

_START_SECONDS = 300
_WARM_UPS = 20


@dataclass(frozen=True)
class Served:
    """
    What is asked over HTTP.

    :param corpus: The corpus.
    :param route: The path that a question is posted to.
    :param dataset: The folder of real questions below the shared data.
    :param own: What is asked where they aren't there.
    :param limit: The bar of P95, in milliseconds.
    """

    corpus: str
    route: str
    dataset: str
    own: tuple[str, ...]
    limit: float


SERVED = {
    "mpep_query": Served("us-patent-law", "/search_mpep/run", "mpep", ENGLISH, 100),
    "rag_query": Served("company-docs", "/api/v2/rag/search", "jsquad", JAPANESE, 120),
}


def measure(
    pipeline: Annotated[str, typer.Option(help=f"The query pipeline: {' or '.join(SERVED)}.")] = "mpep_query",
    count: Annotated[int, typer.Option(help="How many questions.")] = 500,
    url: Annotated[str | None, typer.Option(help="A running service; one is started by default.")] = None,
    index: Annotated[
        Path | None, typer.Option(help="Folder of the index of rag_query, kept for the next time.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Time searches and the embedder alone."""
    if pipeline not in SERVED:
        raise typer.BadParameter(f"--pipeline {pipeline}: it is one of {', '.join(SERVED)}")
    served = SERVED[pipeline]
    asked = questions(served.dataset, served.own, count)
    results: dict[str, Any] = {"questions": len(asked)}
    bars = []
    if pipeline == "mpep_query":
        results.update(_in_process(asked))
        bars += [
            Bar("in process, P95 ms", results["in_process_ms"]["p95"], 80, most=True),
            Bar("our share beside the embedder, P50 ms", results["beside_embedder_ms"]["p50"], 15, most=True),
            Bar("get_mpep_section, P95 ms", results["section_ms"]["p95"], 10, most=True),
        ]
    elif not url:
        from benchmarks.company_index import COMPANY_CHUNKS, company_index

        folder = index or Settings().data_dir.expanduser() / "benchmarks" / f"company-{COMPANY_CHUNKS}"
        os.environ["TANSAKU_DATA_DIR"] = str(company_index(folder, COMPANY_CHUNKS).data_dir)
    with _service(url, served.corpus) as (address, process):
        results["http_ms"] = _over_http(address, served, asked)
        if pipeline == "rag_query":
            results["step_ms"] = _steps(address, served, asked)
        if process:
            results["service_peak_mib"] = _peak_mib(process.pid)
    bars.append(Bar("over HTTP, P95 ms", results["http_ms"]["p95"], served.limit, most=True))
    if "service_peak_mib" in results:
        bars.append(Bar("memory of the service, MiB", results["service_peak_mib"], 2048, most=True))
    raise typer.Exit(0 if tell(f"search latency of {pipeline}", results, bars, as_json) else 1)


def _in_process(asked: list[str]) -> dict[str, Any]:
    from pipelines.loading import instantiate, resolve
    from pipelines.mpep import MpepSearch

    search = MpepSearch()
    search.warm_up()
    embedder = instantiate(_embedder(resolve("mpep_query")))
    embedder.warm_up()
    for question in ENGLISH:
        search.search(query=f"warm-up: {question}")
    totals, embeddings, sections = [], [], []
    numbers = []
    for question in asked:
        seconds, answer = timed(search.search, query=question)
        totals.append(seconds)
        numbers += [hit["section"] for hit in answer["results"] if hit["source"] == "MPEP"][:1]
        embeddings.append(timed(embedder.run, texts=[question])[0])
    for number in (number for number in dict.fromkeys(numbers) if re.fullmatch(r"[\d.]+(\(\w+\))*", number)):
        sections.append(timed(search.section, number)[0])
    beside = np.array(totals) - np.array(embeddings)
    rows = {"in_process_ms": totals, "embedder_ms": embeddings, "beside_embedder_ms": beside, "section_ms": sections}
    return {name: percentiles(values) for name, values in rows.items()}


def _embedder(definition: dict[str, Any]) -> dict[str, Any]:
    """The component of the query pipeline that embeds questions."""
    return next(spec for spec in definition["components"].values() if spec["type"].endswith("TextEmbedder"))


@contextmanager
def _service(url: str | None, corpus: str) -> Any:
    """A service's address, and its process if it was started here."""
    if url:
        yield url, None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    tansaku = [sys.executable, "-c", "from cli.main import run; run()"]
    command = [*tansaku, "serve", "--corpus", corpus, "--port", str(port)]
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


def _over_http(address: str, served: Served, asked: list[str]) -> dict[str, float]:
    times = []
    warm_ups = [f"warm-up: {served.own[n % len(served.own)]} {n}" for n in range(_WARM_UPS)]
    with httpx.Client(base_url=address, timeout=30) as client:
        for question in [*warm_ups, *asked]:
            seconds, answer = timed(client.post, served.route, json={"query": question})
            answer.raise_for_status()
            times.append(seconds)
    return percentiles(times[_WARM_UPS:])


def _steps(address: str, served: Served, asked: list[str]) -> dict[str, dict[str, float]]:
    """Where the time goes: the service's own clock, on questions that differ by a sign and so are in no cache."""
    steps: dict[str, list[float]] = {}
    with httpx.Client(base_url=address, timeout=30) as client:
        for question in asked[: len(asked) // 2]:
            answer = client.post(served.route, json={"query": f"{question}。", "return_debug_info": True}).json()
            told = answer["debug_info"]["preprocessing"]["step_ms"]
            for name, milliseconds in {**told, "all": answer["execution_time_ms"]}.items():
                steps.setdefault(name, []).append(milliseconds / 1000)
    ordered = sorted(steps, key=lambda name: -float(np.median(steps[name])))
    return {name: percentiles(steps[name]) for name in ordered}


def _peak_mib(pid: int) -> int:
    match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(match[1]) >> 10 if match else 0


if __name__ == "__main__":
    typer.run(measure)
