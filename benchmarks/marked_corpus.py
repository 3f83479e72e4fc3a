"""Copies of a corpus whose every sentence tells which copy it is of, so that an answer from two of them shows."""

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=。)")


def read_documents(path: Path, most: int | None = None) -> list[dict[str, Any]]:
    """
    Read a corpus file of BEIR's layout.

    :param path: The file, packed or not.
    :param most: Take so many documents only.
    :returns: The documents.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        lines = [line for line in file if line.strip()]
    return [json.loads(line) for line in lines[:most]]


def write_marked(documents: Iterable[dict[str, Any]], folder: Path, mark: str) -> None:
    """
    Write documents with a mark at the end of each sentence, in place of an earlier copy.

    ```python
    write_marked(read_documents(Path("corpus.jsonl")), folder, "firstcopy")
    ```

    :param documents: The documents.
    :param folder: Where the copy goes.
    :param mark: A word that no document holds.
    """
    lines = []
    for document in documents:
        text = _SENTENCE_END.sub(f" {mark}. ", document["text"])
        lines.append(json.dumps({**document, "text": f"{text} {mark}."}, ensure_ascii=False) + "\n")
    folder.mkdir(exist_ok=True)
    whole = folder / "whole"
    whole.write_text("".join(lines), encoding="utf-8")
    whole.replace(folder / "corpus.jsonl")
