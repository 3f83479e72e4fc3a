"""Pages of the manual for tests: the project's own samples, and the USPTO's archive where it exists."""

import tarfile
from pathlib import Path

from haystack import Document
from haystack.dataclasses import ByteStream

from components.converters.mpep_appendix import MpepAppendixConverter
from components.converters.mpep_html import MpepHtmlConverter
from tests.shared_data import shared_data

SAMPLES = Path(__file__).parent / "data"


def sample_pages() -> dict[str, bytes]:
    """The sample pages: file name -> content."""
    return {path.name: path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))}


def real_or_sample_pages() -> dict[str, bytes]:
    """The pages of the real archive; the samples where it isn't there."""
    archive = shared_data("us-patent-law", "uspto-mpep-html.tar.xz")
    if archive is None:
        return sample_pages()
    with tarfile.open(archive) as tar:
        files = [member for member in tar.getmembers() if member.name.endswith(".html")]
        return {Path(member.name).name: tar.extractfile(member).read() for member in files}  # type: ignore[union-attr]


def convert(pages: dict[str, bytes]) -> dict[str, list[Document]]:
    """Convert pages by themselves: file name -> records. Appendices are told by their name, as only tests may."""
    records = {}
    for name, data in pages.items():
        converter = MpepAppendixConverter() if "-appx-" in name else MpepHtmlConverter()
        records[name] = converter.run([ByteStream(data, meta={"file": name, "origin": f"mpep/{name}"})])["documents"]
    return records


def blocks(record: Document) -> list[tuple[str, str]]:
    """The kinds and texts of a record's blocks."""
    text = record.content or ""
    return [(block["kind"], text[block["start"] : block["end"]]) for block in record.meta["blocks"]]
