"""Prints what an index of notes in a folder that can't be written gives: `read_only_index.py FOLDER`."""

import json
import os
import sys
from pathlib import Path

from notes_corpus import Notes

from components.stores.term_clause import TermClause
from pipelines.doctor import Doctor
from pipelines.errors import TansakuError
from pipelines.manifest import read_index_info


def main(folder: Path) -> None:
    notes = Notes(folder)
    assert not os.access(notes.folder, os.W_OK)
    try:
        info = read_index_info(notes.manifest, "notes")
    except TansakuError as error:
        print(json.dumps(str(error)))
        return
    vectors = notes.store("vector")
    answer = {
        "chunks": info.chunks,
        "texts": notes.texts(),
        "found": notes.store("keyword").search([TermClause("words", "apples", 1.0)], top_k=1)[0][0],
        "nearest": vectors.search([1.0] * 7 + [9.0], top_k=1)[0][0],
        "parents": notes.store("parents").ids(),
        "is_sound": Doctor(notes.corpus, notes.settings).examine().ok,
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
