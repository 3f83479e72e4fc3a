"""Runs one part of an index of notes: `shard_run.py FOLDER DATABASE_URL PROFILE I/N`."""

import sys
from pathlib import Path

from notes_corpus import Notes

from pipelines import pending_sources
from pipelines.shards import Shard

if __name__ == "__main__":
    pending_sources.BATCH_SOURCES = 2
    notes = Notes(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
    notes.run(shard=Shard.read(sys.argv[4]))
