"""Requests to a Qdrant server: sent again where that may help, errors in one sentence."""

import json
import logging
import random
import ssl
import threading
import time
import weakref
from contextlib import suppress
from typing import Any, NoReturn

import httpx
from haystack.document_stores.errors import DocumentStoreError
from qdrant_client import QdrantClient
from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
from qdrant_client.models import UpdateResult, UpdateStatus

from components.stores.circuit_breaker import CircuitBreaker
from components.stores.store_errors import StoreTimeoutError, StoreUnavailableError

logger = logging.getLogger(__name__)

IN_MEMORY = ":memory:"
_BUSY = (429, 500, 502, 503, 504)
_LATE = (408,)
_REFUSED = (401, 403)
_READ_WAITS = (0.1, 0.4)
_WRITE_WAITS = (0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
_LONGEST_WAIT = 10.0
_KEPT_CONNECTIONS = 32
_NO_COLLECTION = "Not found: Collection"
_WITHOUT_TIMEOUT = ("get_collection",)  # the client's own holds, which is that of reads


class CollectionMissingError(DocumentStoreError):
    """There is no collection or alias of that name."""


class QdrantConnection:
    """
    Calls methods of Qdrant's client; it connects when it is first used, and again after `close`. Whoever drops it
    without closing leaves no socket open.

    ```python
    connection = QdrantConnection("https://qdrant:6333", api_key="...", ca_certs="ca.pem")
    connection.read("count", collection_name="chunks").count
    ```
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        ca_certs: str | None = None,
        verify_certs: bool = True,
        read_timeout: int = 10,
        write_timeout: int = 60,
    ):
        """
        :param url: The server's URL; the port is 6333 unless it names another. ":memory:" is no server but the client's
            own small imitation of one, to try things out.
        :param api_key: The server's key.
        :param ca_certs: File of the certificate authorities that are trusted, instead of the usual ones.
        :param verify_certs: Whether the server's certificate is checked.
        :param read_timeout: Seconds for an answer to `read`.
        :param write_timeout: Seconds for an answer to `write`.
        :raises ValueError: If the URL or a timeout can't be used.
        """
        _check_url(url)
        for timeout in (read_timeout, write_timeout):
            if not isinstance(timeout, int) or timeout < 1:
                raise ValueError(f"timeout: {timeout!r} is not allowed; Qdrant takes whole seconds, 1 or more")
        self.url = url
        self.in_memory = url == IN_MEMORY
        self._breaker = CircuitBreaker.of(url)
        self._api_key = api_key
        self._ca_certs = ca_certs
        self._verify_certs = verify_certs
        self._read_timeout = read_timeout
        self._write_timeout = write_timeout
        self._client: QdrantClient | None = None
        self._closing: weakref.finalize[..., QdrantConnection] | None = None
        self._lock = threading.Lock()

    def read(self, method: str, **arguments: Any) -> Any:
        """
        Ask for something.

        :param method: A method of QdrantClient.
        :param arguments: Its arguments, without a timeout.
        :returns: What it returns.
        :raises StoreUnavailableError: If the server can't be reached or is busy after the last of three tries, or
            gives no answer in time; that isn't tried again.
        :raises CollectionMissingError: If the collection isn't there.
        :raises DocumentStoreError: If the server refuses the request, or can't be trusted.
        """
        with self._breaker.guard():
            return self._send(method, arguments, self._read_timeout, _READ_WAITS)

    def write(self, method: str, **arguments: Any) -> Any:
        """
        Change something, in a way that may be done twice; returns when it is on the server's disk.

        :param method: A method of QdrantClient.
        :param arguments: Its arguments, without a timeout.
        :returns: What it returns.
        :raises StoreUnavailableError: As `read`, after a quarter of a minute of trying, or if the server has only noted
            the change when the time is over.
        :raises CollectionMissingError: If the collection isn't there.
        :raises DocumentStoreError: If the server refuses the request, or can't be trusted.
        """
        result = self._send(method, arguments, self._write_timeout, _WRITE_WAITS)
        if isinstance(result, UpdateResult) and result.status != UpdateStatus.COMPLETED:
            raise StoreUnavailableError(
                f"the Qdrant server {self.url} hasn't made a change within {self._write_timeout} s: {result.status}"
            )
        return result

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            closing, self._client, self._closing = self._closing, None, None
        if closing is not None:
            closing()

    def _send(self, method: str, arguments: dict[str, Any], timeout: int, pauses: tuple[float, ...]) -> Any:
        waits = list(pauses)
        if method not in _WITHOUT_TIMEOUT:
            arguments = {**arguments, "timeout": timeout}
        while True:
            try:
                return getattr(self._connected(), method)(**arguments)
            except ResponseHandlingException as error:
                problem, after = self._transport_problem(error.source, timeout), 0.0
            except UnexpectedResponse as error:
                problem, after = self._status_problem(error, timeout), 0.0
            except ResourceExhaustedResponse as error:
                problem, after = f"status 429: {error}", float(error.retry_after_s)
            except json.JSONDecodeError as error:
                raise DocumentStoreError(f"what answers at {self.url} is no Qdrant server") from error
            except ValueError as error:
                if self.in_memory and str(error).startswith("Collection "):
                    raise CollectionMissingError(str(error)) from error
                raise
            if not waits:
                raise StoreUnavailableError(f"the Qdrant server {self.url} can't be used now: {problem}")
            # Cut by up to a half at random, so that clients that were turned away together don't return together.
            wait = max(waits.pop(0) * random.uniform(0.5, 1.0), min(after, _LONGEST_WAIT))
            logger.debug("%s: %s; trying again", method, problem)
            time.sleep(wait)

    def _connected(self) -> QdrantClient:
        with self._lock:
            if self._client is None:
                self._client = QdrantClient(self.url) if self.in_memory else self._connect()
                self._closing = weakref.finalize(self, self._client.close)
            return self._client

    def _connect(self) -> QdrantClient:
        url = httpx.URL(self.url)
        if self._api_key and url.scheme == "http" and url.host not in ("127.0.0.1", "localhost", "::1"):
            logger.warning("the API key goes to %s without TLS; use https", self.url)
        verify: ssl.SSLContext | bool = self._verify_certs
        if verify and url.scheme == "https":
            verify = ssl.create_default_context(cafile=self._ca_certs)
        return QdrantClient(
            self.url,
            timeout=self._read_timeout,
            # As a header: with `api_key` the client warns of plain HTTP on loopback too.
            headers={"api-key": self._api_key} if self._api_key else None,
            # It wants the same version as its own, but what we call is older and hasn't changed.
            check_compatibility=False,
            verify=verify,
            # By default it opens a connection a request on loopback.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=_KEPT_CONNECTIONS),
        )

    def _transport_problem(self, source: Exception, timeout: int) -> str:
        """What makes another try worth while; raises when nothing does."""
        if isinstance(source, httpx.TimeoutException):
            self._raise_late(source, timeout)
        reason = str(source) or type(source).__name__
        if "CERTIFICATE_VERIFY_FAILED" in reason:
            raise DocumentStoreError(
                f"the Qdrant server {self.url} can't be trusted: {reason}; check ca_certs and verify_certs"
            ) from source
        if isinstance(source, httpx.TransportError):
            return reason
        raise DocumentStoreError(f"what answers at {self.url} is no Qdrant server: {reason:.200}") from source

    def _status_problem(self, error: UnexpectedResponse, timeout: int) -> str:
        """What makes another try worth while; raises when nothing does."""
        reason = _reason(error)
        if error.status_code in _LATE:
            self._raise_late(error, timeout)
        if error.status_code in _BUSY:
            return f"status {error.status_code}: {reason}"
        if error.status_code == 404 and reason.startswith(_NO_COLLECTION):
            raise CollectionMissingError(f"the Qdrant server {self.url}: {reason}") from error
        if error.status_code in _REFUSED:
            reason = f"{reason}; check api_key and what it allows"
        raise DocumentStoreError(
            f"the Qdrant server {self.url} refused the request (status {error.status_code}): {reason}"
        ) from error

    def _raise_late(self, error: Exception, timeout: int) -> NoReturn:
        raise StoreTimeoutError(f"the Qdrant server {self.url} gave no answer within {timeout} s") from error


def _check_url(url: str) -> None:
    if url == IN_MEMORY:
        return
    parts = httpx.URL(url)
    if parts.userinfo:
        raise ValueError(f"url: user and password are not allowed in it ({parts.host}); give a key as api_key")
    if parts.scheme not in ("http", "https") or not parts.host:
        raise ValueError(f"url: {url!r} is not allowed; it must begin with http:// or https://")


def _reason(error: UnexpectedResponse) -> str:
    with suppress(ValueError, TypeError, KeyError):
        return str(error.structured()["status"]["error"])
    return error.content.decode(errors="replace")[:200] or error.reason_phrase
