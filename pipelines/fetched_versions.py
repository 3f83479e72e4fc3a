"""Remembers which version of each address is in a folder."""

import json
import os
from pathlib import Path
from typing import Any

from pipelines.fetching import Fetched


class Versions:
    """
    Which version of each address is in the folder.

    :param path: The file that remembers.
    """

    def __init__(self, path: Path):
        self._path = path
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            known = {}
        self._known: dict[str, Any] = known if isinstance(known, dict) else {}

    def get(self, url: str) -> tuple[str, str]:
        """ETag and Last-Modified of the version that is there."""
        entry = self._known.get(url)
        return (str(entry[0]), str(entry[1])) if isinstance(entry, list) and len(entry) == 2 else ("", "")

    def set(self, url: str, fetched: Fetched) -> None:
        """Remember a version at once, so that a killed run doesn't lose it."""
        entry = [fetched.etag, fetched.modified]
        if self._known.get(url) != entry:
            self._known[url] = entry
            partial = self._path.with_name(f"{self._path.name}.part")
            partial.write_text(json.dumps(self._known, indent=0), encoding="utf-8")
            os.replace(partial, self._path)
