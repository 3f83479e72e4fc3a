"""Compares the paths that a user gives with the manifest: what is new, changed, unchanged or gone."""

import logging
from collections.abc import Callable
from pathlib import Path

from pipelines.corpora import Corpus
from pipelines.errors import ArgumentError, SourceError
from pipelines.manifest import Manifest
from pipelines.manifest_database import read_path
from pipelines.shards import WHOLE, Shard
from pipelines.sources import Source, SourceFile, find_files, is_sidecar, printable, read_sources

logger = logging.getLogger(__name__)

Progress = Callable[[str, int, int | None], None]
"""Called with a step's name, what is done and what there is to do."""

READING = "reading sources"

_PRUNE = "to take out what is gone, give the paths that stay, with --prune"


def no_progress(step: str, done: int, total: int | None) -> None:
    """The progress report of work that nobody watches."""


class Scanner:
    """
    Brings the manifest's list of sources up to date with the file system. Sources that have to be indexed become
    `pending`, those that no longer exist become `gone`; the stores are not touched.

    Usage example:
    ```python
    with Manifest(path) as manifest:
        Scanner(manifest, corpus, progress).scan([Path("uspto-mpep-html.tar.xz")])
    ```

    :param manifest: The corpus's manifest.
    :param corpus: Whose recogniser tells what a file is.
    :param progress: Called for every file.
    :param shard: The part of the files to look at.
    """

    def __init__(self, manifest: Manifest, corpus: Corpus, progress: Progress, shard: Shard = WHOLE):
        self._manifest = manifest
        self._corpus = corpus
        self._progress = progress
        self._shard = shard

    def scan(self, paths: list[Path], prune: bool = False) -> list[str]:
        """
        Look at everything under some paths.

        :param paths: Files, folders and archives.
        :param prune: Let go of all that is not under `paths`.
        :returns: Notes for the user.
        :raises ArgumentError: When a path does not exist, or two different paths have the same name.
        :raises SourceError: When a folder holds no file.
        """
        roots = self._roots(paths)
        for path in roots.values():
            # A folder that is gone or empty may be one whose disk isn't mounted.
            if not path.exists():
                raise ArgumentError("path", str(path), f"an existing file, folder or archive; {_PRUNE}")
            if next(find_files(path, self._corpus.sidecar_suffix), None) is None:
                raise SourceError(f"nothing in {path} can be indexed; {_PRUNE}")
        for name, path in roots.items():
            self._scan_root(name, path)
        samples = self._corpus.samples.resolve()
        own = [path for path in roots.values() if not path.is_relative_to(samples)]
        notes = []
        for row in self._manifest.rows("SELECT name, path FROM roots"):
            # What a path takes out belongs to all parts.
            if row["name"] in roots or self._shard != WHOLE:
                continue
            is_sample = read_path(row["path"]).is_relative_to(samples)
            inside = any(read_path(row["path"]).is_relative_to(path) for path in roots.values())
            if prune or inside or (own and is_sample):
                self._forget_root(row["name"])
                if is_sample:
                    notes.append("the sample documents gave way to your own")
        return notes

    def _roots(self, paths: list[Path]) -> dict[str, Path]:
        """The roots by name: a path below another one, or below a known folder, belongs to that one."""
        known = {row["name"]: read_path(row["path"]) for row in self._manifest.rows("SELECT name, path FROM roots")}
        resolved = {_resolved(path) for path in paths}
        # A document brings its sidecar, which a shell's docs/* names beside it.
        given = sorted(path for path in resolved if not is_sidecar(path, self._corpus.sidecar_suffix))
        roots: dict[str, Path] = {}
        for path in given:
            if not path.exists() and path not in known.values():
                raise ArgumentError("path", str(path), "an existing file, folder or archive")
            outer = next((o for o in (*roots.values(), *known.values()) if o != path and path.is_relative_to(o)), None)
            root = outer or path
            name = printable(root.name)
            other = roots.get(name) or known.get(name)
            if other is not None and other != root and (name in roots or other.exists()):
                raise ArgumentError(
                    "path", str(root), f"named otherwise, because {other} has the same name and is in the index"
                )
            roots[name] = root
        return roots

    def _scan_root(self, name: str, root: Path) -> None:
        rows = self._manifest.rows("SELECT * FROM files WHERE root = ?", name)
        known = {row["key"]: row for row in rows if self._shard.owns(row["key"])}
        every = list(find_files(root, self._corpus.sidecar_suffix))
        files = [file for file in every if self._shard.owns(file.key)]
        with self._manifest.transaction():
            self._manifest.change(
                "INSERT INTO roots VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET path = excluded.path", name, root
            )
        for done, file in enumerate(files):
            self._progress(READING, done, len(files))
            row = known.pop(file.key, None)
            signature = _signature(file)
            if row is not None and signature is not None and signature == (row["size"], row["changed"]):
                if read_path(row["path"]) != file.path:
                    self._manifest.change("UPDATE files SET path = ? WHERE key = ?", file.path, file.key)
                continue
            self._scan_file(name, file, signature)
        self._progress(READING, len(files), len(files))
        with self._manifest.transaction():
            # What lies in a folder that can't be listed may still be there.
            closed = tuple(f"{file.key}/" for file in every if file.path.is_dir())
            for key in known:
                if not key.startswith(closed):
                    self._forget_file(key)

    def _scan_file(self, root: str, file: SourceFile, signature: tuple[int, int] | None) -> None:
        found: dict[str, tuple[Source, str, str]] = {}
        for source in read_sources(file):
            kind = self._corpus.recognize(source.data, source.name).kind if not source.reason else ""
            # The content is read again when its turn comes; holding all of an archive would take too much memory.
            digest = source.digest if not source.reason else ""
            found[source.origin] = (Source(source.origin, source.name, reason=source.reason), digest, kind)
        readable = not any(source.reason for source, _, _ in found.values())
        is_whole = not (file.key in found and found[file.key][0].reason)
        size, changed = signature if readable and signature else (None, None)
        with self._manifest.transaction():
            self._manifest.change(
                "INSERT INTO files VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET root = excluded.root,"
                " path = excluded.path, size = excluded.size, changed = excluded.changed",
                *(file.key, root, file.path, size, changed),
            )
            for source, digest, kind in found.values():
                self._note_source(file, source, digest, kind)
            for row in self._manifest.rows("SELECT origin FROM sources WHERE file = ?", file.key):
                # When an archive is damaged, the members that could not be reached may still be there.
                if is_whole and row["origin"] not in found:
                    self._manifest.change("UPDATE sources SET state = 'gone' WHERE origin = ?", row["origin"])

    def _note_source(self, file: SourceFile, source: Source, digest: str, kind: str) -> None:
        if source.reason:
            self._manifest.change(
                "INSERT INTO sources (origin, file, name, digest, state, unreadable) VALUES (?, ?, ?, '', 'done', ?)"
                " ON CONFLICT (origin) DO UPDATE SET unreadable = excluded.unreadable",
                source.origin,
                file.key,
                source.name,
                source.reason,
            )
            return
        self._manifest.change(
            "INSERT INTO sources (origin, file, name, digest, kind, state) VALUES (?, ?, ?, ?, ?, 'pending')"
            " ON CONFLICT (origin) DO UPDATE SET unreadable = '', kind = excluded.kind, digest = excluded.digest,"
            " state = CASE WHEN sources.digest = excluded.digest AND sources.state = 'done' THEN 'done'"
            " ELSE 'pending' END",
            source.origin,
            file.key,
            source.name,
            digest,
            kind,
        )

    def _forget_root(self, name: str) -> None:
        with self._manifest.transaction():
            for row in self._manifest.rows("SELECT key FROM files WHERE root = ?", name):
                self._forget_file(row["key"])
            self._manifest.change("DELETE FROM roots WHERE name = ?", name)

    def _forget_file(self, key: str) -> None:
        self._manifest.change("UPDATE sources SET state = 'gone' WHERE file = ?", key)
        self._manifest.change("DELETE FROM files WHERE key = ?", key)


def _resolved(path: Path) -> Path:
    """
    :raises ArgumentError: When the path can't be followed: a loop of links, a folder that is closed to the user.
    """
    try:
        found = path.expanduser().resolve()
        found.exists()
    except (OSError, RuntimeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ArgumentError("path", str(path), f"a file, folder or archive that can be reached ({reason})") from error
    return found


def _signature(file: SourceFile) -> tuple[int, int] | None:
    try:
        return file.signature()
    except OSError:
        return None
