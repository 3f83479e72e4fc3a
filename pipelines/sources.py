"""
Finds the source files under a path: plain files, folders, archives (.zip, .tar, .tar.*) and compressed single files.

Nothing is ever unpacked to disk, and what unpacks to more than it should is refused.
"""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from pipelines.errors import SourceError

MAX_SOURCE_BYTES = 256 << 20
MAX_UNPACKED_BYTES = 8 << 30
# Text packs 10 to 30 times; bombs pack 1,000 times and more. Small archives may pack as they like.
MAX_RATIO = 200
FREE_BYTES = 64 << 20
_SIDECAR_BYTES = 64 << 10

_SKIPPED_NAMES = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
_OFFICE_LOCK = "~$"  # what Office puts beside a document that someone has open
_OPENERS: dict[bytes, Callable[[Any], IO[bytes]]] = {
    b"\x1f\x8b": gzip.open,  # type: ignore[dict-item]
    b"\xfd7zXZ\x00": lzma.open,  # type: ignore[dict-item]
    b"BZh": bz2.open,  # type: ignore[dict-item]
}
PACKED_SUFFIXES = (".gz", ".xz", ".bz2")
_DAMAGED = (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, ValueError)


class _TooMuchError(Exception):
    """An archive unpacks to more than it may."""


@dataclass(frozen=True)
class SourceFile:
    """
    A file on disk that holds one source, or an archive of many.

    :param path: Where it is.
    :param key: Its stable name: the root's name and the path below the root, "folder/usc35.xml".
    :param suffix: What the name of a sidecar ends in, the file with a document's metadata that stands beside it; empty
        where there are none.
    """

    path: Path
    key: str
    suffix: str = ""

    @property
    def sidecar(self) -> Path | None:
        """The file with its metadata; None when there is none."""
        beside = self.path.with_name(self.path.name + self.suffix)
        return beside if self.suffix and beside.is_file() else None

    def signature(self) -> tuple[int, int]:
        """
        Size and time of last change, together with those of its sidecar: when neither changed, the content did not.
        The time is that of content, name or rights, whichever is later: that of the content alone can be set back.

        :raises OSError: When the file is gone.
        """
        found = [path.stat() for path in (self.path, self.sidecar) if path is not None]
        return sum(status.st_size for status in found), sum(
            max(status.st_mtime_ns, status.st_ctime_ns) for status in found
        )


@dataclass(frozen=True)
class Source:
    """
    One source: a plain file, a member of an archive, or what a compressed file holds.

    :param origin: Its stable key: the file's key, for archives with "!" and the member's path behind it.
    :param name: The base name without a compression suffix.
    :param data: The content; empty when it can't be read.
    :param reason: Why it can't be read; empty when it can.
    :param sidecar: The content of the file with its metadata; empty where there is none.
    """

    origin: str
    name: str
    data: bytes = b""
    reason: str = ""
    sidecar: bytes = b""

    @property
    def digest(self) -> str:
        """SHA-256 of the content and the sidecar."""
        digest = hashlib.sha256(self.data)
        if self.sidecar:
            digest.update(b"\0sidecar\0" + self.sidecar)
        return digest.hexdigest()


def printable(name: str) -> str:
    """A name as valid Unicode: bytes that aren't UTF-8 are shown as replacement characters."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def find_files(root: Path, suffix: str = "") -> Iterator[SourceFile]:
    """
    The regular files under a root, in order of their names; hidden files and folders are left out, and sidecars beside
    their documents. A folder that can't be listed comes at the end, in place of its files: reading it gives the reason.

    Usage example:
    ```python
    for file in find_files(Path("manual")):      # "manual/s101.html", "manual/rules.zip", ...
        for source in read_sources(file):        # "manual/s101.html", "manual/rules.zip!title37.xml", ...
            print(source.origin, source.reason or len(source.data))
    ```

    :param root: A file or folder.
    :param suffix: What the names of sidecars end in.
    :returns: The files; none when the root does not exist.
    """
    if not root.is_dir():
        if root.is_file():
            yield SourceFile(root, printable(root.name), suffix)
        return
    closed: list[OSError] = []
    for folder, folders, names in os.walk(root, onerror=closed.append):
        folders[:] = sorted(name for name in folders if not _skipped(name))
        for name in sorted(names):
            path = Path(folder, name)
            if not _skipped(name) and _may_be_file(path) and not is_sidecar(path, suffix):
                yield SourceFile(path, _key(root, path), suffix)
    for error in closed:
        yield SourceFile(Path(error.filename), _key(root, Path(error.filename)))


def is_sidecar(path: Path, suffix: str) -> bool:
    """Whether a file is the sidecar of another one that is there."""
    name = path.name.removesuffix(suffix) if suffix else path.name
    return name not in (path.name, "") and path.with_name(name).is_file()


def read_sources(file: SourceFile) -> Iterator[Source]:
    """
    The sources that a file holds, one at a time, each with its sidecar: of an archive's members the one that lies
    beside it there.

    :param file: From `find_files`.
    :returns: The sources. One whose origin is the file's own key and that has a reason means that the file, or the rest
        of an archive, can't be read.
    """
    sources = _read_each(file)
    first = next(sources, None)
    if first is None:
        return
    if first.origin == file.key or not file.suffix:
        yield _with_sidecar(first, file.sidecar)
        yield from sources
        return
    sources.close()
    # An archive is read twice: a sidecar may stand before or behind its document.
    known: dict[str, bytes] = {}
    for source in _read_each(file):
        known[source.origin] = source.data[: _SIDECAR_BYTES + 1] if source.origin.endswith(file.suffix) else b""
    for source in _read_each(file):
        if not (source.origin.endswith(file.suffix) and source.origin.removesuffix(file.suffix) in known):
            yield _beside(source, known.get(source.origin + file.suffix, b""))


def _with_sidecar(source: Source, path: Path | None) -> Source:
    if path is None:
        return source
    try:
        with path.open("rb") as stream:
            return _beside(source, stream.read(_SIDECAR_BYTES + 1))
    except OSError as error:
        return replace(source, data=b"", reason=f"its sidecar {path.name} can't be read: {error.strerror}")


def _beside(source: Source, sidecar: bytes) -> Source:
    """A source with its sidecar; a part of one might leave out who may read the document."""
    if len(sidecar) > _SIDECAR_BYTES:
        return replace(source, data=b"", reason=f"its sidecar is larger than {_SIDECAR_BYTES >> 10} KiB")
    return replace(source, sidecar=sidecar)


def _read_each(file: SourceFile) -> Generator[Source, None, None]:
    try:
        with file.path.open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise SourceError("not a regular file")
            yield from _read(file, stream)
    except _TooMuchError as error:
        yield Source(file.key, printable(file.path.name), reason=str(error))
    except FileNotFoundError:
        reason = "a link to a file that isn't there" if file.path.is_symlink() else "it is gone"
        yield Source(file.key, printable(file.path.name), reason=reason)
    except SourceError as error:
        yield Source(file.key, printable(file.path.name), reason=str(error))
    except _DAMAGED as error:
        reason = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
        yield Source(file.key, printable(file.path.name), reason=f"can't be read, it may be damaged: {reason}")


def _read(file: SourceFile, stream: IO[bytes]) -> Iterator[Source]:
    packed = os.fstat(stream.fileno()).st_size
    head = stream.read(512)
    stream.seek(0)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        if _is_document(stream):
            yield Source(file.key, printable(file.path.name), _bounded(stream, packed))
        else:
            yield from _read_zip(file, stream, packed)
        return
    opener = next((opener for magic, opener in _OPENERS.items() if head.startswith(magic)), None)
    if opener is None:
        if _is_tar(head):
            yield from _read_tar(file, stream)
            if packed % tarfile.BLOCKSIZE:
                raise SourceError("can't be read to its end, it may be damaged: it is cut off within a block")
        else:
            yield Source(file.key, printable(file.path.name), _bounded(stream, packed))
        return
    with opener(stream) as unpacked:
        limited = _LimitedReader(unpacked, packed)
        head = limited.peek_head()
        if _is_tar(head):
            yield from _read_tar(file, limited)
        else:
            name = printable(file.path.name)
            stem = next((name.removesuffix(suffix) for suffix in PACKED_SUFFIXES if name.endswith(suffix)), name)
            yield Source(file.key, stem, _bounded(limited))


def _read_tar(file: SourceFile, stream: IO[bytes]) -> Iterator[Source]:
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            if not member.isreg() or _skipped_path(member.name):
                continue
            extracted = archive.extractfile(member)
            if extracted is not None:
                yield _member(file, member.name, extracted, member.size)


def _read_zip(file: SourceFile, stream: IO[bytes], packed: int) -> Iterator[Source]:
    with zipfile.ZipFile(stream) as archive:
        total = 0
        for info in archive.infolist():
            if info.is_dir() or _skipped_path(info.filename):
                continue
            if info.flag_bits & 1:
                yield Source(f"{file.key}!{info.filename}", info.filename, reason="is encrypted")
                continue
            try:
                with archive.open(info) as member:
                    limited = _LimitedReader(member, packed, total)
                    yield _member(file, info.filename, limited, None)
                    total = limited.total
            except (NotImplementedError, *_DAMAGED) as error:
                yield Source(f"{file.key}!{info.filename}", info.filename, reason=f"can't be unpacked: {error}")


def _member(file: SourceFile, member: str, stream: IO[bytes], size: int | None) -> Source:
    path = PurePosixPath(printable(member.replace("\\", "/")))
    origin = f"{file.key}!{path.as_posix().removeprefix('./')}"
    if path.is_absolute() or ".." in path.parts:
        return Source(origin, path.name, reason="its path leads out of the archive")
    try:
        data = _bounded(stream, size)
    except SourceError as error:
        return Source(origin, path.name, reason=str(error))
    opener = next((opener for magic, opener in _OPENERS.items() if data.startswith(magic)), None)
    if opener is None:
        return Source(origin, path.name, data)
    try:
        with opener(io.BytesIO(data)) as unpacked:
            inner = _bounded(_LimitedReader(unpacked, len(data)))
    except (_TooMuchError, SourceError, *_DAMAGED) as error:
        return Source(origin, path.name, reason=f"can't be unpacked: {error}")
    stem = next((path.name.removesuffix(suffix) for suffix in PACKED_SUFFIXES if path.name.endswith(suffix)), path.name)
    return Source(origin, stem, inner)


def _bounded(stream: IO[bytes], size: int | None = None) -> bytes:
    """The whole stream, if it is no larger than a source may be."""
    data = b"" if size is not None and size > MAX_SOURCE_BYTES else stream.read(MAX_SOURCE_BYTES + 1)
    if len(data) > MAX_SOURCE_BYTES or (size is not None and size > MAX_SOURCE_BYTES):
        raise SourceError(f"is larger than {MAX_SOURCE_BYTES >> 20} MiB")
    return data


class _LimitedReader(io.RawIOBase, IO[bytes]):
    """Reads an unpacking stream and stops it when it gives more than an honest archive of that size holds."""

    def __init__(self, stream: IO[bytes], packed: int, total: int = 0):
        self._stream = stream
        self._head = b""
        self._allowed = min(MAX_UNPACKED_BYTES, max(FREE_BYTES, packed * MAX_RATIO))
        self.total = total

    def peek_head(self) -> bytes:
        """The first 512 bytes, which are read again afterwards."""
        self._head = self._stream.read(512)
        return self._head

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        if 0 <= size <= len(head):
            self._head = head[size:]
            return head[:size]
        parts = [head]
        missing = -1 if size < 0 else size - len(head)
        while missing:
            part = self._stream.read(min(missing, 1 << 20) if missing > 0 else 1 << 20)
            if not part:
                break
            parts.append(part)
            self.total += len(part)
            missing -= len(part) if missing > 0 else 0
            if self.total > self._allowed:
                raise _TooMuchError(f"unpacks to more than {self._allowed >> 20} MiB, which no honest archive does")
        return b"".join(parts)


def _may_be_file(path: Path) -> bool:
    """Whether it is a regular file, or one that only reading tells about, such as a link to what isn't there."""
    try:
        return path.is_file() or (path.is_symlink() and not path.exists())
    except OSError:
        return True


def _key(root: Path, path: Path) -> str:
    return printable(Path(root.name, path.relative_to(root)).as_posix())


def _is_document(stream: IO[bytes]) -> bool:
    """Whether a zip archive is a document: Office files list their content types, OpenDocument names its type."""
    with zipfile.ZipFile(stream) as archive:
        names = archive.namelist()
    stream.seek(0)
    return "[Content_Types].xml" in names or names[:1] == ["mimetype"]


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _skipped(name: str) -> bool:
    return name.startswith((".", _OFFICE_LOCK)) or name in _SKIPPED_NAMES


def _skipped_path(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return any(_skipped(part) for part in parts if part not in (".", ".."))
