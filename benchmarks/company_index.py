"""An index of tens of thousands of chunks like a company's, for measurements: kept in a folder and built once."""

import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.bars import SHARED
from components.analysis.sudachi_normalizer import SudachiNormalizer
from components.splitters.japanese_sentences import japanese_sentence_spans
from evaluation.scratch_index import ScratchSettings
from pipelines.corpora import get_corpus
from pipelines.indexing import IndexRun
from pipelines.loading import open_store
from pipelines.settings import Settings

if TYPE_CHECKING:
    from haystack import Document

CORPUS = "company-docs"
COMPANY_CHUNKS = 50_000
_REAL = ("jsquad", "jaquad_dev")
_EVERY = 2  # of the real passages
_CHUNKS_A_RECORD = 3
_BATCH = 6_000
_DONE = "complete"


def company_index(folder: Path, chunks: int) -> Settings:
    """
    The project's samples and, where they are there, real passages, indexed as `tansaku index` does, then filled up with
    chunks whose sentences come from two of them each, and whose vectors lie between theirs.

    Usage example:
    ```python
    settings = company_index(Path("index"), 50_000)
    ```

    :param folder: Where it is kept; one that is complete is used again.
    :param chunks: How many chunks.
    :returns: Settings whose data folder holds it.
    """
    own = Settings()
    settings = ScratchSettings(data_dir=folder, models=own.models_dir, env="development", database_url=None)
    done = folder / _DONE
    if done.is_file() and done.read_text() == str(chunks):
        return settings
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    # A service takes the models from its data folder.
    own.models_dir.mkdir(parents=True, exist_ok=True)
    (folder / "models").symlink_to(own.models_dir)
    corpus = get_corpus(CORPUS)
    passages = folder / "passages.jsonl"
    passages.write_text("".join(_real_passages()), encoding="utf-8")
    IndexRun(corpus, settings).run([corpus.samples, *([passages] if passages.stat().st_size else [])])
    _fill(settings, chunks)
    done.write_text(str(chunks))
    return settings


def _real_passages() -> Iterator[str]:
    """Lines of .jsonl, whose ids are told apart by their set."""
    for name in _REAL:
        path = SHARED / "eval" / name / "corpus.jsonl.gz"
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as file:
                for line in islice(file, 0, None, _EVERY):
                    record = json.loads(line)
                    kept = {"id": f"{name}-{record['id']}", "title": record["title"], "text": record["text"]}
                    yield json.dumps(kept, ensure_ascii=False) + "\n"


def _fill(settings: Settings, chunks: int) -> None:
    stores = {name: open_store(name, CORPUS, settings=settings) for name in ("keyword", "parents", "vector")}
    ids = sorted(stores["vector"].ids())
    bases = {document.id: document for document in stores["keyword"].get_many(ids)}
    vectors = stores["vector"].get_vectors(ids)
    made = _made([bases[name] for name in ids], vectors, chunks - len(ids))
    normalizer = SudachiNormalizer(mode="A")
    while batch := list(islice(made, _BATCH)):
        records = _records(batch)
        normal = normalizer.run(documents=[replace(d, embedding=None) for d in batch], records=records)
        stores["keyword"].write_documents(normal["documents"])
        stores["parents"].write_documents(normal["records"])
        stores["vector"].write_documents(batch)
    for store in stores.values():
        store.close()


def _made(bases: "list[Document]", vectors: dict[str, Any], count: int) -> "Iterator[Document]":
    """Chunks of the first half of one text and the second half of another."""
    random = np.random.default_rng(1)
    for number in range(count):
        a, b = (bases[place] for place in random.integers(len(bases), size=2))
        firsts, lasts = (_sentences(base.content or "") for base in (a, b))
        text = "".join([*firsts[: (len(firsts) + 1) // 2], *lasts[len(lasts) // 2 :]])
        record = f"made/{number // _CHUNKS_A_RECORD}"
        meta = {
            **a.meta,
            "entities": list(dict.fromkeys([*a.meta.get("entities", []), *b.meta.get("entities", [])])),
            "source_id": record,
            "order": number % _CHUNKS_A_RECORD,
        }
        vector = np.asarray(vectors[a.id]) + np.asarray(vectors[b.id])
        vector /= np.linalg.norm(vector)
        place = f"{record}#{number % _CHUNKS_A_RECORD}"
        yield replace(a, id=place, content=text, meta=meta, embedding=vector.tolist(), score=None)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in japanese_sentence_spans(text)]


def _records(chunks: "list[Document]") -> "list[Document]":
    """One record for each that the chunks belong to, with their texts."""
    texts: dict[str, list[Document]] = {}
    for chunk in chunks:
        texts.setdefault(str(chunk.meta["source_id"]), []).append(chunk)
    return [
        replace(own[0], id=record, content="\n".join(chunk.content or "" for chunk in own), embedding=None)
        for record, own in texts.items()
    ]
