"""
Searches at the highest rate the machine holds while an index on servers is rebuilt and switched:
python -m benchmarks.cluster_load [--json] [NAME...]

ELASTICSEARCH_URL (or OPENSEARCH_URL with --profile opensearch) and QDRANT_URL name the servers. The new generation
holds the same documents with another mark in each sentence: an answer from both shows. The rate is told beside that of
the embedder alone, which every new question needs.
"""

import itertools
import multiprocessing
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
import yaml

from benchmarks.bars import SHARED, Bar, tell
from benchmarks.load import Answer, Load, Question, mixed
from benchmarks.marked_corpus import read_documents, write_marked

MARKS = ("markofone", "markoftwo")
_EACH = 8  # questions of a kind that are asked again and again
_EMBEDDER_SECONDS = 10.0
_MOST_SECONDS = 1800.0


@dataclass(frozen=True)
class Loaded:
    """
    What is searched.

    :param corpus: The corpus.
    :param filters: Arguments that make a search one with a filter.
    :param number: How a document is asked for by its number, with its `id`.
    """

    corpus: str
    filters: dict[str, Any]
    number: str


LOADED = {
    "mpep": Loaded("us-patent-law", {"source_filter": "MPEP"}, "{id}"),
    "jsquad": Loaded(
        "company-docs", {"filters": {"field": "meta.language", "operator": "==", "value": "ja"}}, "文書 {id}"
    ),
}
"""A new pipeline is one line."""


def measure(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", help=f"Of {', '.join(LOADED)}.")] = None,
    data: Annotated[Path, typer.Option(help="The folder that holds the sets.")] = SHARED / "eval",
    profile: Annotated[str, typer.Option(help="The servers' profile.")] = "cluster",
    documents: Annotated[int, typer.Option(help="How many documents are indexed.")] = 300,
    seconds: Annotated[float, typer.Option(help="How long to ask at least; the switch is waited for.")] = 60.0,
    threads: Annotated[int, typer.Option(help="How many ask at the same time.")] = 4,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Search during a rebuild and a switch."""
    results: dict[str, Any] = {}
    bars: list[Bar] = []
    for name in names or LOADED:
        with tempfile.TemporaryDirectory(prefix="tansaku-load-") as folder:
            own = _without_reranker(profile, Path(folder))
            found = _measure(LOADED[name], data / name, own, Path(folder), documents, seconds, threads)
        results[name] = found
        bars.append(Bar(f"{name}: answers that failed", sum(found["errors"].values()), 0, most=True))
        bars.append(Bar(f"{name}: answers that mix generations", len(found["mixed"]), 0, most=True))
        bars.append(Bar(f"{name}: answers that are whole, share", found["whole"] / max(found["answers"], 1), 0.5))
        bars.append(Bar(f"{name}: generations that answered", len(found["answers_by_version"]), 2))
    raise typer.Exit(0 if tell("cluster load", results, bars, as_json) else 1)


def _measure(
    loaded: Loaded, dataset: Path, profile: str, folder: Path, most: int, seconds: float, threads: int
) -> dict[str, Any]:
    from evaluation.datasets import load_dataset
    from evaluation.scratch_index import ScratchSettings
    from pipelines.corpora import get_corpus
    from pipelines.indexing import IndexRun
    from pipelines.settings import Settings

    own, known = Settings(), load_dataset(dataset)
    documents = read_documents(known.corpus_path, most)
    prefix = f"{own.index_prefix}-load-{uuid.uuid4().hex[:8]}"
    settings = ScratchSettings(data_dir=folder / "data", models=own.models_dir, database_url=None, index_prefix=prefix)
    write_marked(documents, folder / "sources", MARKS[0])
    try:
        IndexRun(get_corpus(loaded.corpus), settings, profile).run([folder / "sources"])
        search = _search_of(loaded.corpus)(profile, settings)
        search.warm_up()
        texts = [query.text for query in known.queries]
        alone = _embedder_rate(loaded.corpus, profile, settings, texts, threads)
        write_marked(documents, folder / "sources", MARKS[1])
        questions = list(_questions(loaded, search, texts, documents))
        with Load(questions, threads) as load:
            took = _rebuild_during(load, loaded.corpus, profile, settings, folder / "sources", seconds)
    finally:
        _remove(loaded.corpus, profile, settings)
    return {
        "documents": len(documents),
        "chunks": search.info().chunks,
        "threads": threads,
        "embedder_alone_per_second": alone,
        **took,
        **summary(load),
    }


def summary(load: Load) -> dict[str, Any]:
    """
    What became of the questions of a load.

    :param load: A load that has ended.
    :returns: Rate, latencies, kinds, errors, what answers were made without, and mixed answers.
    """
    answered = [answer for answer in load.answers if not answer.error]
    begun = min(answer.started for answer in load.answers)
    ended = max(answer.started + answer.seconds for answer in load.answers)
    times = np.percentile([answer.seconds * 1000 for answer in answered], (50, 95, 99))
    return {
        "seconds": round(ended - begun, 1),
        "answers": len(answered),
        "whole": sum(not answer.degraded for answer in answered),
        "answers_per_second": round(len(answered) / (ended - begun), 1),
        "ms": {name: round(float(value), 1) for name, value in zip(("p50", "p95", "p99"), times, strict=True)},
        "kinds": dict(Counter(answer.question.kind for answer in answered)),
        "answers_by_version": dict(Counter(answer.version for answer in answered)),
        "degraded": dict(load.degraded()),
        "errors": dict(load.errors()),
        "mixed": mixed(load.answers) + foreign(load.answers),
    }


def foreign(answers: list[Answer]) -> list[str]:
    """
    Questions with an answer whose passages have the mark of another generation than the version that it names.

    :param answers: The answers.
    :returns: The questions' names.
    """
    versions = list(dict.fromkeys(answer.version for answer in answers if not answer.error))
    marks = dict(zip(versions, MARKS, strict=False))
    found = set()
    for answer in answers:
        others = [mark for mark in MARKS if mark != marks.get(answer.version)]
        if any(mark in text for _, text, _ in answer.hits for mark in others):
            found.add(answer.question.name)
    return sorted(found)


def _questions(loaded: Loaded, search: Any, texts: list[str], documents: list[dict[str, Any]]) -> Iterator[Question]:
    """All kinds in turn; every other question is a new one, which has to be embedded."""
    count = itertools.count()
    fresh = lambda text: search.search(f"{text} ({next(count)})", top_k=10)  # noqa: E731
    kinds: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "questions": [(text, {}) for text in texts],
        "filters": [(text, loaded.filters) for text in texts],
        "numbers": [(loaded.number.format(id=document["id"].replace("-", " ", 1)), {}) for document in documents],
        "quotes": [(f'"{_words(document)}"', {}) for document in documents],
    }
    for number in range(_EACH):
        for kind, asked in kinds.items():
            text, options = asked[number * 7 % len(asked)]
            yield Question(kind, f"{kind}: {text}", partial(search.search, text, top_k=10, **options))
            new = texts[(number * len(kinds) + len(kind)) % len(texts)]
            yield Question("new questions", "", partial(fresh, new))


def _words(document: dict[str, Any]) -> str:
    """Something to quote: the first words of a title."""
    title = document.get("title") or document["text"]
    return " ".join(title.replace('"', " ").split()[:3])[:20].strip()


def _embedder_rate(corpus: str, profile: str, settings: Any, texts: list[str], threads: int) -> float:
    """How many questions a second the embedder takes, asked by as many threads."""
    from pipelines.corpora import get_corpus
    from pipelines.loading import instantiate, resolve

    embedder = instantiate(resolve(get_corpus(corpus).query, profile, settings)["components"]["embedder"])
    embedder.warm_up()
    end, counts = time.monotonic() + _EMBEDDER_SECONDS, [0] * threads

    def embed(place: int) -> None:
        while time.monotonic() < end:
            embedder.run(texts=[f"{texts[counts[place] % len(texts)]} ({place}-{counts[place]})"])
            counts[place] += 1

    asking = [threading.Thread(target=embed, args=(place,)) for place in range(threads)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    return round(sum(counts) / _EMBEDDER_SECONDS, 1)


def _rebuild_during(
    load: Load, corpus: str, profile: str, settings: Any, sources: Path, seconds: float
) -> dict[str, float]:
    """Rebuild in a process of its own, and wait until the new generation answers and the time is over."""
    begun = time.monotonic()
    first = load.wait_for(lambda answer: not answer.error, _MOST_SECONDS)
    known = first.version if first else ""
    process = multiprocessing.get_context("spawn").Process(target=_rebuild, args=(corpus, profile, settings, sources))
    process.start()
    process.join(_MOST_SECONDS)
    built = time.monotonic()
    if process.exitcode != 0:
        raise SystemExit(f"the rebuild ended with {process.exitcode}")
    load.wait_for(lambda answer: not answer.error and answer.version != known, _MOST_SECONDS)
    switched = time.monotonic()
    time.sleep(max(begun + seconds - time.monotonic(), 5.0))
    return {"rebuild_seconds": round(built - begun, 1), "switch_seconds": round(switched - built, 1)}


def _rebuild(corpus: str, profile: str, settings: Any, sources: Path) -> None:
    from pipelines.corpora import get_corpus
    from pipelines.rebuilding import GenerationKeeper

    GenerationKeeper(get_corpus(corpus), settings, profile).rebuild([sources], workers=1)


def _without_reranker(profile: str, folder: Path) -> str:
    """The profile without the model that few machines have: whole answers alone can be compared."""
    from pipelines.loading import read_yaml
    from pipelines.settings import Settings

    names = read_yaml(Settings().pipelines_dir / "profiles" / f"{profile}.yaml")
    path = folder / f"{profile}.yaml"
    path.write_text(yaml.safe_dump({**names, "reranker": None}), encoding="utf-8")
    return str(path)


def _search_of(corpus: str) -> Callable[..., Any]:
    from pipelines.mpep import MpepSearch
    from pipelines.rag import RagSearch

    return {"us-patent-law": MpepSearch, "company-docs": RagSearch}[corpus]


def _remove(corpus: str, profile: str, settings: Any) -> None:
    """Delete what was made on the servers."""
    from pipelines.corpora import get_corpus
    from pipelines.index_stores import open_stores
    from pipelines.loading import resolve

    for generation in (1, 2):
        definition = resolve(get_corpus(corpus).indexing, profile, settings.of_generation(generation), corpus)
        for store in open_stores(definition).values():
            store.remove()
            store.close()


if __name__ == "__main__":
    typer.run(measure)
