"""Fetches files over HTTP so that a cut connection, a busy server or a killed run costs only what was missing."""

import email.utils
import logging
import random
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx

from pipelines.errors import TansakuError, causes
from pipelines.partial_file import PartialFile, Progress
from pipelines.reachability import why_unreachable

logger = logging.getLogger(__name__)

USER_AGENT = f"Tansaku/{version('tansaku')} (search for patent law; downloads official sources)"
_RETRIED = frozenset([408, 425, 429, 500, 502, 503, 504])
# A file that keeps failing its check is fetched anew only this often: the second time rules out a cut without a length.
_CHECKS = 2

Check = Callable[[Path], str]
"""Looks at a complete file and says what is wrong with it; "" when nothing is."""


class FetchError(TansakuError):
    """A file can't be had; the message names the address and the reason."""


class UnreachableError(FetchError):
    """The host can't be reached from here at all, so there is no use in asking for its other files."""


class _Again(Exception):
    """This attempt failed; another one may not."""

    def __init__(self, reason: str, wait: float | None = None, progress: bool = False, unreachable: bool = False):
        super().__init__(reason)
        self.wait, self.progress, self.unreachable = wait, progress, unreachable


@dataclass(frozen=True)
class RetryPolicy:
    """
    How patient a download is.

    :param attempts: How often an address is tried without getting further before it is given up.
    :param first_wait: Seconds before the second attempt; each later wait is twice as long.
    :param longest_wait: The longest wait in seconds; a server that asks for more is left alone, with a message.
    :param timeout: Seconds without any byte from the server.
    :param pause: Seconds between two requests.
    :param unreachable_attempts: How often a host is tried whose name can't be resolved, or to which no route leads.
    """

    attempts: int = 6
    first_wait: float = 1.0
    longest_wait: float = 120.0
    timeout: float = 30.0
    pause: float = 0.1
    unreachable_attempts: int = 3


@dataclass(frozen=True)
class Fetched:
    """
    What became of a file.

    :param state: "downloaded", "resumed" or "unchanged".
    :param size: Its size in bytes.
    :param etag: The server's mark of this version, for the next time.
    :param modified: The server's date of this version, for the next time.
    """

    state: str
    size: int
    etag: str = ""
    modified: str = ""


class Fetcher:
    """
    Fetches pages and files, one at a time.

    A file grows in a hidden file beside its place (".name.part") and moves there when it is complete and has passed its
    check.

    ```python
    with Fetcher() as fetcher:
        fetcher.file("https://www.example.org/title-37.xml", Path("title-37.xml"), check=lambda path: "")
    ```

    :param policy: How patient to be.
    :param sleep: Waits; replaced in tests.
    """

    def __init__(self, policy: RetryPolicy | None = None, sleep: Callable[[float], None] = time.sleep):
        self.policy = policy or RetryPolicy()
        self._sleep = sleep
        self._last = 0.0
        self._client = httpx.Client(
            # Byte ranges and lengths only mean something for bodies as they are stored.
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
            follow_redirects=True,
            timeout=self.policy.timeout,
        )

    def __enter__(self) -> "Fetcher":
        return self

    def __exit__(self, *exception: object) -> None:
        self._client.close()

    def page(self, url: str, params: dict[str, Any] | None = None) -> tuple[bytes, str]:
        """
        Fetch something small.

        :param url: The address.
        :param params: Query parameters.
        :returns: The body, and the address it came from in the end.
        :raises FetchError: When it can't be had.
        """

        def attempt() -> tuple[bytes, str]:
            with self._answer(url, {}, params) as response:
                _refuse(response)
                return b"".join(response.iter_bytes()), str(response.url)

        return self._retry(url, attempt)

    def file(
        self,
        url: str,
        target: Path,
        check: Check,
        known: tuple[str, str] = ("", ""),
        progress: Progress = lambda done, total: None,
    ) -> Fetched:
        """
        Fetch a file, going on where an earlier attempt or run stopped.

        :param url: The address.
        :param target: Where the file belongs.
        :param check: Looks at the complete file.
        :param known: ETag and Last-Modified of the version that is at `target`, so that it isn't fetched again.
        :param progress: Is told about the bytes.
        :returns: What became of it.
        :raises FetchError: When it can't be had, or what came isn't it.
        """
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            return self._file(url, target, check, known, progress)
        except OSError as error:
            raise FetchError(f"{target}: can't be written: {error.strerror or error}") from error

    def _file(self, url: str, target: Path, check: Check, known: tuple[str, str], progress: Progress) -> Fetched:
        part = PartialFile(target, url)
        resumed = part.size > 0
        checks = 0

        def attempt() -> Fetched:
            nonlocal resumed, checks
            fetched = self._transfer(url, target, part, known, progress)
            if fetched.state == "unchanged":
                return fetched
            if reason := check(part.path):
                part.discard()
                resumed = False
                checks += 1
                if checks >= _CHECKS:
                    raise FetchError(f"{url}: {reason}")
                raise _Again(reason)
            part.finish()
            return Fetched("resumed" if resumed else "downloaded", fetched.size, fetched.etag, fetched.modified)

        return self._retry(url, attempt)

    def _retry(self, url: str, attempt: Callable[[], Any]) -> Any:
        failures = 0
        while True:
            try:
                return attempt()
            except _Again as error:
                # A connection that is cut again and again still gets there as long as each one brings something.
                failures = 1 if error.progress else failures + 1
                wait = error.wait if error.wait is not None else self._backoff(failures)
                reason, unreachable = str(error), error.unreachable
            if unreachable and failures >= self.policy.unreachable_attempts:
                raise UnreachableError(f"{url}: {reason}")
            if failures >= self.policy.attempts:
                raise FetchError(f"{url}: {reason} (tried {failures} times)")
            if wait > self.policy.longest_wait:
                raise FetchError(f"{url}: {reason}; the server asks to come back in {wait:.0f} s, try again then")
            logger.info("waiting %.1f s before trying %s again: %s", wait, url, reason)
            self._sleep(wait)

    def _backoff(self, failures: int) -> float:
        longest = min(self.policy.longest_wait, self.policy.first_wait * 2 ** (failures - 1))
        # Between half and all of it, so that many clients don't come back at the same moment.
        return longest * random.uniform(0.5, 1.0)

    @contextmanager
    def _answer(
        self, url: str, headers: dict[str, str], params: dict[str, Any] | None = None
    ) -> Iterator[httpx.Response]:
        since = time.monotonic() - self._last
        if since < self.policy.pause:
            self._sleep(self.policy.pause - since)
        try:
            with self._client.stream("GET", url, headers=headers, params=params) as response:
                yield response
        except httpx.TimeoutException as error:
            raise _Again(f"no answer from {httpx.URL(url).host} within {self.policy.timeout:g} s") from error
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, httpx.TooManyRedirects) as error:
            raise FetchError(f"{url}: {error}") from error
        except httpx.RequestError as error:
            if reason := why_unreachable(error, httpx.URL(url).host):
                raise _Again(reason, unreachable=True) from error
            if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes(error)):
                raise FetchError(f"{url}: the connection failed: {error}") from error
            raise _Again(f"the connection failed: {str(error) or type(error).__name__}") from error
        finally:
            self._last = time.monotonic()

    def _transfer(
        self, url: str, target: Path, part: PartialFile, known: tuple[str, str], progress: Progress
    ) -> Fetched:
        """Bring the part file to its full length, or find that the file at its place is still the newest."""
        headers = part.headers()
        before = part.size
        if not headers and target.exists():
            headers = {"If-None-Match": known[0]} if known[0] else {}
            headers |= {"If-Modified-Since": known[1]} if known[1] else {}
        try:
            with self._answer(url, headers) as response:
                if response.status_code == 304 and target.exists():
                    return Fetched("unchanged", target.stat().st_size, *known)
                total = _range_total(response)
                if response.status_code == 416 and total == before > 0:
                    return Fetched("downloaded", before, part.etag, part.modified)
                if response.status_code == 416 or (
                    response.status_code == 206 and not _continues(response, before, part.etag)
                ):
                    part.discard()
                    raise _Again("the server's answer doesn't continue what was there")
                _refuse(response)
                if response.status_code != 206:
                    part.discard()
                    length = response.headers.get("Content-Length", "")
                    plain = response.headers.get("Content-Encoding", "identity") == "identity"
                    total = int(length) if plain and length.isdigit() else None
                part.remember(response)
                part.append(response, total, progress)
        except _Again as error:
            error.progress = part.has_grown()
            raise
        if total is not None and part.size != total:
            came = part.size
            if came > total:
                part.discard()
            raise _Again(f"{came} of {total} bytes came")
        return Fetched("downloaded", part.size, part.etag, part.modified)


def _refuse(response: httpx.Response) -> None:
    """
    Raise for an answer that holds no file.

    :raises _Again: When the server may answer better later.
    :raises FetchError: When it won't.
    """
    status = response.status_code
    if status in (200, 206):
        return
    phrase = f"{status} {response.reason_phrase}".strip()
    if status in _RETRIED:
        raise _Again(f"the server answered {phrase}", wait=_retry_after(response))
    raise FetchError(f"{response.request.url}: the server answered {phrase}")


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("Retry-After", "").strip()
    if value.isdigit():
        return float(value)
    try:
        return max(0.0, (email.utils.parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _range_total(response: httpx.Response) -> int | None:
    """The whole file's length by an answer's Content-Range."""
    total = response.headers.get("Content-Range", "").rpartition("/")[2]
    return int(total) if total.isdigit() else None


def _continues(response: httpx.Response, start: int, etag: str) -> bool:
    unit, _, numbers = response.headers.get("Content-Range", "").partition(" ")
    same = response.headers.get("ETag", etag) == etag
    return same and unit == "bytes" and numbers.partition("-")[0] == str(start) and start > 0
