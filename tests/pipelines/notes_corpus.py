"""The corpus of notes, and what its index holds."""

import os
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from pipelines.corpora import Corpus
from pipelines.generations import chosen_manifest
from pipelines.index_report import IndexReport
from pipelines.indexing import IndexRun
from pipelines.loading import open_store
from pipelines.manifest import Manifest
from pipelines.manifest_database import Place
from pipelines.settings import Settings
from pipelines.shards import WHOLE

HERE = Path(__file__).parent


def notes_corpus(samples: Path | None = None) -> Corpus:
    return Corpus(
        name="notes",
        indexing="notes_indexing",
        query="",
        samples=samples or HERE / "no_samples",
        recognizer="note_components.recognize_note",
        kinds=("note",),
    )


class Notes:
    """An index of notes in a folder of its own, with source files beside it."""

    def __init__(self, folder: Path, database_url: str | None = None, profile: str = "embedded"):
        self.settings = Settings(
            data_dir=folder / "data",
            pipelines_dir=HERE / "notes",
            profile=profile,
            database_url=database_url and SecretStr(database_url),
        )
        self.sources = folder / "sources"
        self.sources.mkdir(parents=True, exist_ok=True)
        self.corpus = notes_corpus(folder / "samples")
        self.folder = self.settings.index_dir("notes")

    @property
    def manifest(self) -> Place:
        """Where the manifest is that a run brings up to date."""
        return chosen_manifest(self.settings, "notes")

    def write(self, name: str, *lines: str) -> Path:
        path = self.sources / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines))
        # Two writes within one tick of the clock would look unchanged.
        ticks = path.stat().st_mtime_ns
        os.utime(path, ns=(ticks, ticks + 1000 * len(list(self.sources.rglob("*"))) + sum(map(len, lines))))
        return path

    def run(self, *paths: Path, **options: Any) -> IndexReport:
        run = IndexRun(self.corpus, self.settings, workers=1, shard=options.pop("shard", WHOLE))
        return run.run(list(paths or [self.sources]), **options)

    def resume(self) -> IndexReport:
        return IndexRun(self.corpus, self.settings, workers=1).run()

    def texts(self) -> dict[str, str]:
        """What the keyword store holds."""
        documents = self.store("keyword").filter_documents()
        return {document.id: document.content for document in documents}

    def store(self, name: str) -> Any:
        return open_store(name, "notes", settings=self.settings)

    def state(self) -> dict[str, Any]:
        """Everything that the index holds, for comparing it with another one."""
        keyword = {d.id: (d.content, d.meta) for d in self.store("keyword").filter_documents()}
        parents = {d.id: (d.content, d.meta) for d in self.store("parents").filter_documents()}
        vectors = self.store("vector").get_vectors(self.store("vector").ids())
        payloads = {d.id: d.meta for d in self.store("vector").filter_documents()}
        with Manifest(self.manifest) as manifest:
            rows = [tuple(row) for row in manifest.rows("SELECT * FROM chunks ORDER BY id")]
            claims = [tuple(row) for row in manifest.rows("SELECT * FROM claims ORDER BY source_id, origin")]
            sources = [
                tuple(row)
                for row in manifest.rows(
                    "SELECT origin, digest, state, open, kind, edition, reason, unreadable FROM sources ORDER BY origin"
                )
            ]
            version = manifest.fact("corpus_version")
        return {
            "keyword": keyword,
            "parents": parents,
            "vectors": {id: list(vector) for id, vector in vectors.items()},
            "payloads": payloads,
            "rows": rows,
            "claims": claims,
            "sources": sources,
            "version": version,
        }
