"""Expanding paths into sources: folders, archives, compressed files, and archives that mean harm."""

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pipelines import sources
from pipelines.sources import find_files, read_sources


def read(root: Path) -> dict[str, tuple[str, bytes | str]]:
    """Origin -> (name, content or reason)."""
    return {
        source.origin: (source.name, source.reason or source.data)
        for file in find_files(root)
        for source in read_sources(file)
    }


def tar_bytes(mode: str = "w", **members: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_bytes(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_folder_in_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    root = tmp_path / "law"
    for name in ("b/2.txt", "a.txt", ".hidden", "~$a.docx", ".git/config", "__MACOSX/a.txt", "b/1.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)

    assert list(read(root)) == ["law/a.txt", "law/b/1.txt", "law/b/2.txt"]


def test_links_out_of_a_folder_and_pipes_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "law").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_text("secret")
    (tmp_path / "law" / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "law" / "pipe")

    assert read(tmp_path / "law") == {}


def test_a_link_to_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "law").mkdir()
    (tmp_path / "law" / "broken").symlink_to(tmp_path / "nowhere")

    assert read(tmp_path / "law") == {"law/broken": ("broken", "a link to a file that isn't there")}


@pytest.mark.parametrize(
    ("name", "pack", "source_name"),
    [
        ("usc.xml.gz", gzip.compress, "usc.xml"),
        ("usc.xml.xz", lzma.compress, "usc.xml"),
        ("usc.xml.bz2", bz2.compress, "usc.xml"),
        ("usc.xml", bytes, "usc.xml"),
        ("no_suffix", gzip.compress, "no_suffix"),
    ],
)
def test_single_files_are_unpacked_by_content(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes], source_name: str
) -> None:
    (tmp_path / name).write_bytes(pack(b"<usc/>"))

    assert read(tmp_path / name) == {name: (source_name, b"<usc/>")}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("law.tar", tar_bytes(a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
        ("law.tar.gz", tar_bytes("w:gz", a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
        ("law.tar.xz", tar_bytes("w:xz", a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
        ("law.tar.bz2", tar_bytes("w:bz2", a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
        ("law.zip", zip_bytes(a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
        ("named otherwise", zip_bytes(a=b"A", **{"in/b.xml.xz": lzma.compress(b"B")})),
    ],
)
def test_members_of_archives(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)

    assert read(tmp_path / name) == {f"{name}!a": ("a", b"A"), f"{name}!in/b.xml.xz": ("b.xml", b"B")}


@pytest.mark.parametrize("member", ["../../etc/passwd", "/etc/passwd", "in/../../passwd", "..\\passwd"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_paths_that_lead_out_of_the_archive_are_refused(tmp_path: Path, member: str, kind: str) -> None:
    pack = zip_bytes if kind == "zip" else tar_bytes
    (tmp_path / "law").write_bytes(pack(**{member: b"x", "good": b"G"}))

    found = read(tmp_path / "law")

    assert found.pop("law!good") == ("good", b"G")
    assert list(found.values()) == [("passwd", "its path leads out of the archive")]


def test_links_and_devices_in_archives_are_left_out(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "law.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
            info = tarfile.TarInfo(f"member{kind.decode()}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)

    assert read(tmp_path / "law.tar") == {}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bomb.gz", gzip.compress(bytes(3 << 20))),
        ("bomb.xz", lzma.compress(bytes(3 << 20))),
        ("bomb.zip", zip_bytes(a=bytes(1 << 20), b=bytes(1 << 20), c=bytes(1 << 20))),
        ("bomb.tar.gz", tar_bytes("w:gz", a=bytes(1 << 20), b=bytes(1 << 20), c=bytes(1 << 20))),
    ],
)
def test_bombs_are_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes) -> None:
    monkeypatch.setattr(sources, "FREE_BYTES", 2 << 20)
    (tmp_path / name).write_bytes(data)

    assert read(tmp_path / name)[name][1] == "unpacks to more than 2 MiB, which no honest archive does"


def test_bomb_inside_an_archive_is_a_failure_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "FREE_BYTES", 2 << 20)
    (tmp_path / "law.zip").write_bytes(zip_bytes(**{"bomb.gz": gzip.compress(bytes(3 << 20)), "good": b"G"}))

    found = read(tmp_path / "law.zip")

    assert found["law.zip!good"] == ("good", b"G")
    assert "unpacks to more than 2 MiB" in str(found["law.zip!bomb.gz"][1])


@pytest.mark.parametrize("name", ["big.txt", "big.tar", "big.zip"])
def test_sources_that_are_too_large_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sources, "MAX_SOURCE_BYTES", 1 << 20)
    data = os.urandom((1 << 20) + 1)
    pack = {"big.txt": lambda **members: members["big"], "big.tar": tar_bytes, "big.zip": zip_bytes}[name]
    (tmp_path / name).write_bytes(pack(big=data))

    assert [content for _, content in read(tmp_path / name).values()] == ["is larger than 1 MiB"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("cut.tar.xz", tar_bytes("w:xz", a=os.urandom(1000))[:-200]),
        ("cut.tar.gz", tar_bytes("w:gz", a=os.urandom(1000))[:-200]),
        ("cut.gz", gzip.compress(b"x" * 100)[:-4]),
        ("cut.zip", zip_bytes(a=b"A")[:-10]),
        ("cut.tar", tar_bytes(a=b"A", b=b"B")[:1100]),
    ],
)
def test_damaged_archives_say_so(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)

    found = read(tmp_path / name)

    assert "it may be damaged" in str(found[name][1])


def test_encrypted_members_are_named(tmp_path: Path) -> None:
    data = bytearray(zip_bytes(a=b"A"))
    data[6] |= 1  # the flag in the member's own header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and in the directory
    (tmp_path / "law.zip").write_bytes(data)

    assert read(tmp_path / "law.zip") == {"law.zip!a": ("a", "is encrypted")}


def test_names_that_are_not_utf8_are_shown_with_replacements(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "law.tar", "w", format=tarfile.USTAR_FORMAT, encoding="latin-1") as archive:
        info = tarfile.TarInfo("é.txt")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"x"))

    assert list(read(tmp_path / "law.tar")) == ["law.tar!�.txt"]


def test_missing_root_has_no_files(tmp_path: Path) -> None:
    assert list(find_files(tmp_path / "missing")) == []


def test_digest_is_that_of_the_content() -> None:
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert sources.Source("a", "a").digest == empty


@pytest.mark.parametrize("first", [("[Content_Types].xml", b"<Types/>"), ("mimetype", b"application/vnd.oasis")])
def test_documents_that_are_zip_archives_are_not_unpacked(tmp_path: Path, first: tuple[str, bytes]) -> None:
    data = zip_bytes(**{first[0]: first[1], "word/document.xml": b"<w/>"})
    (tmp_path / "plan.docx").write_bytes(data)
    (tmp_path / "all.zip").write_bytes(zip_bytes(**{"plan.docx": data}))

    assert read(tmp_path / "plan.docx") == {"plan.docx": ("plan.docx", data)}
    assert read(tmp_path / "all.zip") == {"all.zip!plan.docx": ("plan.docx", data)}


def sidecars(root: Path) -> dict[str, bytes]:
    return {s.origin: s.sidecar for file in find_files(root, ".yaml") for s in read_sources(file)}


def test_sidecars_belong_to_the_files_beside_them(tmp_path: Path) -> None:
    root = tmp_path / "docs"
    root.mkdir()
    for name, content in {"a.md": "a", "a.md.yaml": "title: A", "b.md": "b", "c.md.yaml": "title: C"}.items():
        (root / name).write_text(content)

    assert sidecars(root) == {"docs/a.md": b"title: A", "docs/b.md": b"", "docs/c.md.yaml": b""}
    assert sidecars(root / "a.md") == {"a.md": b"title: A"}
    assert list(read(root)) == ["docs/a.md", "docs/a.md.yaml", "docs/b.md", "docs/c.md.yaml"]


@pytest.mark.parametrize("pack", [zip_bytes, tar_bytes])
def test_sidecars_inside_archives(tmp_path: Path, pack: Callable[..., bytes]) -> None:
    members = {"x/a.md.yaml": b"title: A", "x/a.md": b"a", "b.md": b"b", "b.md.yaml": b"title: B", "c.yaml": b"c: 1"}
    (tmp_path / "all").write_bytes(pack(**members))

    assert sidecars(tmp_path / "all") == {
        "all!x/a.md": b"title: A",
        "all!b.md": b"title: B",
        "all!c.yaml": b"",
    }


def test_a_sidecar_is_a_part_of_what_decides_about_a_change(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("a")
    (without,) = find_files(path, ".yaml")
    plain = (without.signature(), next(read_sources(without)).digest)
    (tmp_path / "a.md.yaml").write_text("title: A")
    (with_sidecar,) = find_files(path, ".yaml")

    assert with_sidecar.signature() != plain[0]
    assert next(read_sources(with_sidecar)).digest != plain[1]


def test_a_sidecar_that_is_too_large_closes_its_document(tmp_path: Path) -> None:
    large = b"#" * (64 << 10) + b"\naccess_groups: [x]"
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "a.md.yaml").write_bytes(large)
    (tmp_path / "all.zip").write_bytes(zip_bytes(**{"a.md": b"a", "a.md.yaml": large}))

    for name, origin in (("a.md", "a.md"), ("all.zip", "all.zip!a.md")):
        (file,) = find_files(tmp_path / name, ".yaml")
        (source,) = read_sources(file)
        assert (source.origin, source.data, source.reason) == (origin, b"", "its sidecar is larger than 64 KiB")


def test_a_sidecar_that_cannot_be_read_closes_its_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "a.md.yaml").write_text("access_groups: [x]")
    (file,) = find_files(tmp_path / "a.md", ".yaml")
    opened = Path.open

    def refuse(path: Path, *arguments: str) -> object:
        if path.suffix == ".yaml":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments)

    monkeypatch.setattr(Path, "open", refuse)
    (source,) = read_sources(file)

    assert (source.data, source.reason) == (b"", "its sidecar a.md.yaml can't be read: Permission denied")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_costs_no_other(tmp_path: Path, method: int) -> None:
    path = tmp_path / "law.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.html", b"words " * 400)
        archive.writestr("b.html", b"B")
    data = bytearray(path.read_bytes())
    start = data.index(b"a.html") + len("a.html") + 12
    data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data)

    found = read(path)

    assert "can't be unpacked" in str(found["law.zip!a.html"][1])
    assert found["law.zip!b.html"] == ("b.html", b"B")


def test_a_change_shows_though_size_and_time_are_as_before(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("zebra")
    status, [file] = path.stat(), find_files(path)
    before = file.signature()
    path.write_text("tiger")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert file.signature() != before
