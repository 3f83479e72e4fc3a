"""Whether a downloaded file is whole and is what it should be."""

import zipfile
from pathlib import Path

from pipelines.corpora import Corpus

_HEAD = 1 << 18


def check_file(path: Path, expect: list[str], corpus: Corpus) -> str:
    """
    Whether a file is what it should be, by its content.

    :param path: The file; for a zip archive, all of it is checked, and one member must be as expected.
    :param expect: The kinds that are good.
    :param corpus: Whose recogniser tells the kind.
    :returns: What is wrong; "" when nothing is.
    """
    return _check_archive(path, expect, corpus) if zipfile.is_zipfile(path) else _check_plain(path, expect, corpus)


def _check_plain(path: Path, expect: list[str], corpus: Corpus) -> str:
    head = beginning(path)
    if head.startswith(b"PK\x03\x04"):
        return "the archive is not complete"
    found = corpus.recognize(head, path.name)
    if found.kind == "pdf" and b"%%EOF" not in _end(path):
        return "the PDF is not complete"
    return "" if found.kind in expect else f"what came is not {' or '.join(expect)} but: {found.detail}"


def _check_archive(path: Path, expect: list[str], corpus: Corpus) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            if broken := archive.testzip():
                return f"the archive is damaged at {broken}"
            for name in archive.namelist():
                with archive.open(name) as member:
                    if corpus.recognize(member.read(_HEAD), name).kind in expect:
                        return ""
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        return f"the archive can't be read: {error}"
    return f"the archive holds no {' or '.join(expect)}"


def beginning(path: Path) -> bytes:
    """The first 256 KB of a file."""
    with path.open("rb") as file:
        return file.read(_HEAD)


def _end(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2048))
        return file.read()
