"""Downloads the official sources of a corpus: finds the files, fetches and checks them, says which edition came."""

import fcntl
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urljoin

from pipelines.corpora import Corpus
from pipelines.download_checks import beginning, check_file
from pipelines.download_links import links_of, name_of, natural_order
from pipelines.download_sources import DownloadSource
from pipelines.errors import TansakuError
from pipelines.fetched_versions import Versions
from pipelines.fetching import Fetched, Fetcher, FetchError, UnreachableError

Report = Callable[[str, int, int | None], None]
"""Is told a source's name, what is done and what there is to do."""


@dataclass
class SourceReport:
    """
    What became of one source.

    :param name: The source's name.
    :param title: What it is.
    :param edition: What the server says of its edition; "" when it says nothing.
    :param files: How many files there are.
    :param states: How many of them were downloaded, resumed, unchanged.
    :param size: Bytes of all files.
    :param failures: Address and reason of each file that can't be had.
    """

    name: str
    title: str
    edition: str = ""
    files: int = 0
    states: dict[str, int] = field(default_factory=dict)
    size: int = 0
    failures: list[dict[str, str]] = field(default_factory=list)

    def add(self, fetched: Fetched) -> None:
        """Count a file."""
        self.files += 1
        self.size += fetched.size
        self.states[fetched.state] = self.states.get(fetched.state, 0) + 1

    def fail(self, url: str, error: Exception) -> None:
        """Note a file that can't be had."""
        where, _, reason = str(error).partition(": ")
        named = where.startswith(("http://", "https://"))
        self.failures.append({"url": where if named else url, "reason": reason if named else str(error)})


class Downloader:
    """
    Fetches sources into a folder, each into a subfolder of its name.

    What is there already is fetched again only if the server has another version; `.versions.json` remembers them.

    ```python
    downloader = Downloader(get_corpus("us-patent-law"), Path("law"))
    reports = downloader.run(load_download_sources("us-patent-law"))
    ```

    :param corpus: Whose recogniser checks the files.
    :param folder: Where they go.
    :param make_fetcher: Makes the fetcher of a source.
    :param report: Is told about the progress.
    """

    def __init__(
        self,
        corpus: Corpus,
        folder: Path,
        make_fetcher: Callable[[DownloadSource], Fetcher],
        report: Report = lambda step, done, total: None,
    ):
        self._corpus = corpus
        self._folder = folder
        self._make_fetcher = make_fetcher
        self._report = report
        self._unreachable: dict[str, str] = {}  # reasons by host

    def run(self, sources: list[DownloadSource]) -> list[SourceReport]:
        """
        Fetch all sources; one that fails doesn't stop the others. When a host can't be reached at all, its other
        sources are not tried, and those of other hosts once.

        :param sources: From `load_download_sources`.
        :returns: A report for each.
        :raises TansakuError: When another download is writing into the folder.
        """
        with _lock(self._folder):
            return [self._source(source) for source in sources]

    def _source(self, source: DownloadSource) -> SourceReport:
        from pipelines.federal_register_download import fetch_documents

        report = SourceReport(source.name, source.title)
        folder = self._folder / source.name
        address = source.base + (source.start or source.file or source.documents)
        if reason := self._unreachable.get(source.base):
            report.failures.append({"url": address, "reason": reason})
            return report
        with self._make_fetcher(source) as fetcher:
            if self._unreachable:
                fetcher.policy = replace(fetcher.policy, unreachable_attempts=1)
            try:
                if source.documents:
                    fetch_documents(fetcher, source, folder, report, self._report)
                    return report
                urls = [source.base + source.file] if source.file else self._find(fetcher, source, report)
                self._fetch(fetcher, source, folder, urls, report)
            except FetchError as error:
                report.fail(address, error)
                if isinstance(error, UnreachableError):
                    self._unreachable[source.base] = report.failures[-1]["reason"]
        return report

    def _find(self, fetcher: Fetcher, source: DownloadSource, report: SourceReport) -> list[str]:
        """The addresses of the source's files, by the links of its pages."""
        body, start = fetcher.page(source.base + source.start)
        report.edition = _edition(source, body)
        links = links_of(body, start)
        if source.follow:
            for url in [url for url in links if re.fullmatch(source.follow, name_of(url))]:
                links += links_of(fetcher.page(url)[0], url)
        found = {url: None for url in links if re.fullmatch(source.files, name_of(url))}
        # What the start page's own folder holds; links to elsewhere are not part of the source.
        urls = [url for url in found if url.startswith(urljoin(start, "."))]
        if not urls:
            raise FetchError(f"{start}: the page has no link to {source.files}; it may have changed")
        return [max(urls, key=natural_order)] if source.newest else urls

    def _fetch(
        self, fetcher: Fetcher, source: DownloadSource, folder: Path, urls: list[str], report: SourceReport
    ) -> None:
        versions = Versions(folder / ".versions.json")
        for done, url in enumerate(urls):
            target = folder / name_of(url)
            if len(urls) > 1:
                self._report(source.name, done, len(urls))

            def progress(done: int, total: int | None) -> None:
                if len(urls) == 1:
                    self._report(f"{source.name} KiB", done >> 10, total >> 10 if total else None)

            try:
                fetched = fetcher.file(url, target, self._check(source), versions.get(url), progress)
            except UnreachableError:
                raise
            except FetchError as error:
                report.fail(url, error)
                continue
            versions.set(url, fetched)
            report.add(fetched)
            report.edition = report.edition or _edition(source, beginning(target))
        self._report(source.name, len(urls), len(urls))

    def _check(self, source: DownloadSource) -> Callable[[Path], str]:
        def check(path: Path) -> str:
            return check_file(path, source.expect, self._corpus)

        return check


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise TansakuError(f"{folder}: can't be written: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TansakuError(f"{folder}: another download is writing there; wait for it to end") from error
        yield
    finally:
        os.close(descriptor)


def _edition(source: DownloadSource, body: bytes) -> str:
    match = re.search(source.edition, body[: 1 << 18].decode("utf-8", errors="replace")) if source.edition else None
    return " ".join(match.group(1).split()).strip(" ,") if match else ""
