"""The part of a file that has been fetched so far, kept from run to run."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import httpx

_CRUMBS = 1 << 16

Progress = Callable[[int, int | None], None]
"""Is told how many bytes are there, and how many there will be if the server says so."""


class PartialFile:
    """
    A file that is on its way to `target`, and beside it what is known of the version that it is a part of.

    Both are hidden, so that nobody takes a part for the whole.

    :param target: Where the complete file belongs.
    :param url: Where it comes from; what came from elsewhere is thrown away.
    """

    def __init__(self, target: Path, url: str):
        self._target = target
        self._url = url
        self.path = target.with_name(f".{target.name}.part")
        self._note = target.with_name(f".{target.name}.part.json")
        self.etag = self.modified = ""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            if note["url"] == url:
                self.etag, self.modified = str(note["etag"]), str(note["modified"])
        except (OSError, ValueError, LookupError, TypeError):
            # Without a note there is no telling which version the part belongs to.
            self.discard()
        self._longest = self.size

    @property
    def size(self) -> int:
        """How many bytes are there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def has_grown(self) -> bool:
        """
        Whether there is more than ever before since the object was made.

        Crumbs don't count, and neither does starting over: a server that drips or always cuts at the same place would
        be asked for ever.
        """
        grown = self.size >= self._longest + _CRUMBS
        self._longest = max(self._longest, self.size)
        return grown

    def headers(self) -> dict[str, str]:
        """Ask for the rest only of the very version that the part came from; weak marks don't promise equal bytes."""
        mark = self.etag if self.etag and not self.etag.startswith("W/") else self.modified
        if not self.size:
            return {}
        if not mark:
            self.discard()
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": mark}

    def remember(self, response: httpx.Response) -> None:
        """Note the version that the following bytes belong to."""
        self.etag = response.headers.get("ETag", self.etag)
        self.modified = response.headers.get("Last-Modified", self.modified)
        note = {"url": self._url, "etag": self.etag, "modified": self.modified}
        self._note.write_text(json.dumps(note), encoding="utf-8")

    def append(self, response: httpx.Response, total: int | None, progress: Progress) -> None:
        """Add a body's bytes as they come."""
        done = self.size
        with self.path.open("ab") as file:
            # As they arrive: bytes that wait for a chunk to fill up would be lost with the connection.
            for chunk in response.iter_bytes():
                file.write(chunk)
                done += len(chunk)
                progress(done, total)

    def discard(self) -> None:
        """Throw away what is there."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.etag = self.modified = ""

    def finish(self) -> None:
        """Move the complete file to its place."""
        os.replace(self.path, self._target)
        self._note.unlink(missing_ok=True)
