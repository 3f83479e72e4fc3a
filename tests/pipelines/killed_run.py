"""Runs the index of notes and kills this process at a certain commit: `killed_run.py FOLDER COMMIT before|after`."""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from notes_corpus import Notes

from components.stores.elasticsearch_bulk import BulkWriter
from components.stores.qdrant_connection import QdrantConnection
from components.stores.qdrant_edge_shards import QdrantEdgeShards
from components.stores.tantivy_index import TantivyIndex
from pipelines import embedding, pending_sources
from pipelines.manifest import Manifest


def main(folder: Path, fatal: int, moment: str) -> None:
    commits = 0

    def watched(commit: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **options: Any) -> Any:
            nonlocal commits
            commits += 1
            if commits == fatal and moment == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            result = commit(*arguments, **options)
            if commits >= fatal and moment == "after":
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapper

    # Everything that changes what is on disk or on servers goes through these.
    for owner, name in (
        (TantivyIndex, "commit"),
        (QdrantEdgeShards, "commit"),
        (BulkWriter, "_send"),
        (QdrantConnection, "write"),
        (Manifest, "begin"),
        (Manifest, "finish"),
        (Manifest, "mark_embedded"),
        (Manifest, "forget_vectors"),
        (Manifest, "forget_outdated"),
    ):
        setattr(owner, name, watched(getattr(owner, name)))
    pending_sources.BATCH_SOURCES, embedding.BATCH = 2, 3
    Notes(folder, os.environ.get("NOTES_DATABASE_URL"), os.environ["NOTES_PROFILE"]).run()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
