"""What an index run did, for people and programs."""

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pipelines.corpora import NO_SOURCE
from pipelines.manifest import Manifest
from pipelines.manifest_database import read_path


@dataclass(frozen=True)
class SourceReport:
    """
    One source in the index.

    :param origin: Its stable key.
    :param path: The file on disk that holds it.
    :param kind: What it was recognised as; empty when it wasn't.
    :param sections: Records that it offers.
    :param chunks: Chunks of it in the index.
    :param shadowed: Records left out because another source has a better edition of them.
    :param reason: Why it, or a part of it, could not be read.
    :param changed: It was indexed in this run.
    :param skipped: It lies among the sources and has nothing to do with the corpus; `reason` says what it is.
    """

    origin: str
    path: str
    kind: str
    sections: int
    chunks: int
    shadowed: int
    reason: str
    changed: bool
    skipped: bool


@dataclass(frozen=True)
class IndexReport:
    """
    The result of a run.

    :param corpus: Which index.
    :param corpus_version: Of the index as it is now.
    :param editions: Per kind of source, the editions that the index holds.
    :param sources: All sources of the paths that were given.
    :param removed: Sources that are not in the index any more.
    :param sections: Records in the index.
    :param chunks: Chunks in the index.
    :param vectors: Chunks with an up-to-date vector.
    :param notes: What the user should know besides.
    :param seconds: How long each part took.
    """

    corpus: str
    corpus_version: str
    editions: dict[str, list[str]]
    sources: list[SourceReport]
    removed: int
    sections: int
    chunks: int
    vectors: int
    notes: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def failures(self) -> list[SourceReport]:
        """The sources that could not be read."""
        return [source for source in self.sources if source.reason and not source.skipped]

    @property
    def skipped(self) -> list[SourceReport]:
        """The files beside the sources that have nothing to do with the corpus."""
        return [source for source in self.sources if source.skipped]

    @property
    def ok(self) -> bool:
        """Everything was read, and there is something to search."""
        return self.chunks > 0 and not self.failures

    def kinds(self) -> list[tuple[str, str, Counter[str]]]:
        """For each file and kind of source in it, the sums: sources, sections, chunks, shadowed, changed."""
        sums: dict[tuple[str, str], Counter[str]] = {}
        for source in self.sources:
            if source.skipped or (source.reason and source.kind in ("", NO_SOURCE)):
                continue
            total = sums.setdefault((source.origin.partition("!")[0], source.kind), Counter())
            total.update(
                sources=1,
                sections=source.sections,
                chunks=source.chunks,
                shadowed=source.shadowed,
                changed=int(source.changed),
            )
        return [(file, kind, total) for (file, kind), total in sorted(sums.items())]

    def to_dict(self) -> dict[str, Any]:
        """As `--json` prints it."""
        named = {"failures": self.failures, "skipped": self.skipped}
        return {**asdict(self), "ok": self.ok} | {name: [asdict(s) for s in found] for name, found in named.items()}


def source_reports(manifest: Manifest, changed: set[str]) -> list[SourceReport]:
    """
    Report on every source in a manifest.

    :param manifest: The manifest.
    :param changed: Origins that were indexed in this run.
    :returns: In order of their origins.
    """
    rows = manifest.rows(
        """
        WITH winners AS (
            SELECT origin, row_number() OVER (PARTITION BY source_id ORDER BY precedence DESC, origin) AS place
            FROM claims),
        offers AS (
            SELECT origin, count(*) AS sections, count(*) FILTER (WHERE place > 1) AS shadowed FROM winners
            GROUP BY origin),
        sizes AS (SELECT origin, count(*) AS chunks FROM chunks WHERE text_hash IS NOT NULL GROUP BY origin)
        SELECT s.origin, coalesce(f.path, '') AS path, s.kind, coalesce(o.sections, 0) AS sections,
            coalesce(z.chunks, 0) AS chunks, coalesce(o.shadowed, 0) AS shadowed, s.reason, s.unreadable
        FROM sources s LEFT JOIN files f ON f.key = s.file
            LEFT JOIN offers o USING (origin) LEFT JOIN sizes z USING (origin)
        ORDER BY s.origin
        """
    )
    return [
        SourceReport(
            origin=row["origin"],
            path=str(read_path(row["path"])) if row["path"] else "",
            kind=row["kind"],
            sections=row["sections"],
            chunks=row["chunks"],
            shadowed=row["shadowed"],
            reason=row["unreadable"] or row["reason"],
            changed=row["origin"] in changed,
            skipped=row["kind"] == NO_SOURCE and not row["unreadable"],
        )
        for row in rows
    ]


def under(reports: list[SourceReport], paths: list[Path]) -> list[SourceReport]:
    """
    Those reports whose file is one of the paths or below one; all of them when no path is given.

    What a user named, or a path that holds nothing else, is not skipped but a failure.
    """
    if not paths:
        return reports
    found: dict[str, SourceReport] = {}
    for path in {path.expanduser().resolve() for path in paths}:
        below = [report for report in reports if Path(report.path).is_relative_to(path)]
        is_asked_for = all(report.skipped for report in below)
        for report in below:
            if is_asked_for or report.origin not in found:
                found[report.origin] = replace(report, skipped=report.skipped and not is_asked_for)
    return [found[report.origin] for report in reports if report.origin in found]
