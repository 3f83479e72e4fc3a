"""
Requests to Elasticsearch and OpenSearch servers.

They go through `elastic_transport`, the layer under Elasticsearch's own client: connections that are kept, several
nodes in turn, TLS. The client above it refuses OpenSearch, and what we ask for is the same few REST calls on both.
"""

import base64
import json
import logging
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from haystack.document_stores.errors import DocumentStoreError
from haystack.lazy_imports import LazyImport

from components.stores.store_errors import StoreTimeoutError, StoreUnavailableError

with LazyImport("Run `.venv/bin/pip install -c constraints.txt -e '.[cluster]'`") as transport_import:
    from elastic_transport import ConnectionError as TransportConnectionError
    from elastic_transport import ConnectionTimeout, NodeConfig, SerializationError, TlsError, Transport
    from elastic_transport.client_utils import url_to_node_config

logger = logging.getLogger(__name__)

_BUSY = (429, 502, 503, 504)
_REFUSED = (401, 403)
_DEAD_SECONDS = 5.0  # a node that failed is left out for so long at most
_CONNECTIONS = 32  # searches at the same time that find an open connection


class RequestRefusedError(DocumentStoreError):
    """
    The server answered with an error.

    :param message: What was refused and why.
    :param kind: The server's name of the error, such as `index_not_found_exception`.
    """

    def __init__(self, message: str, kind: str):
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Patience:
    """
    How long to wait for answers.

    :param timeout: Seconds for one answer.
    :param waits: Seconds before each further try while the server is busy or can't be reached; each is cut by up to a
        half at random, so that clients that were turned away together don't return together.
    """

    timeout: float
    waits: tuple[float, ...]


class ElasticsearchClient:
    """
    Sends requests, again where that may help.

    ```python
    client = ElasticsearchClient(["https://es1:9200", "https://es2:9200"], authorization="ApiKey ...")
    client.request("GET", "/chunks/_count", Patience(10.0, (0.1, 0.4)))["count"]
    ```
    """

    def __init__(
        self,
        hosts: Sequence[str],
        authorization: str | None = None,
        ca_certs: str | None = None,
        verify_certs: bool = True,
    ):
        """
        Create the client; nothing is sent yet.

        :param hosts: URLs of the nodes, each with its port.
        :param authorization: The header of that name, instead of user and password in the URLs.
        :param ca_certs: File of the certificate authorities that are trusted, instead of the usual ones.
        :param verify_certs: Whether the server's certificate is checked.
        :raises ValueError: If a URL can't be used.
        :raises ImportError: If the extra `cluster` isn't installed.
        """
        transport_import.check()
        nodes = [self._node(host, authorization, ca_certs, verify_certs) for host in dict.fromkeys(hosts)]
        self.name = ", ".join(f"{node.scheme}://{node.host}:{node.port}" for node in nodes)
        self.is_elasticsearch = False
        self._nodes = len(nodes)
        # Retries are ours: the transport's come without a pause.
        self._transport = Transport(
            nodes, max_retries=0, retry_on_status=(), max_dead_node_backoff=_DEAD_SECONDS, meta_header=False
        )

    def request(
        self,
        method: str,
        path: str,
        patience: Patience,
        body: Mapping[str, Any] | bytes | None = None,
        params: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """
        Send a request that may be sent twice.

        :param method: HTTP method.
        :param path: Path, quoted.
        :param patience: How long to wait and how often to try.
        :param body: JSON, or the lines of a bulk request.
        :param params: Parameters of the URL.
        :returns: The server's JSON.
        :raises StoreUnavailableError: If no node can be reached, or all are busy, after the last try; a request that
            timed out isn't sent again.
        :raises RequestRefusedError: If the server answers with another error.
        :raises DocumentStoreError: If the answer isn't JSON, or the TLS handshake fails.
        """
        target = f"{path}?{urlencode(params)}" if params else path
        # Another node takes over at once; then there are pauses.
        waits = [0.0] * (self._nodes - 1) + list(patience.waits)
        while True:
            status, answer, problem = self._send(method, target, body, patience.timeout)
            if not problem:
                return self._checked(method, path, status, answer)
            if not waits:
                raise StoreUnavailableError(f"the server {self.name} can't be used now: {problem}")
            wait = waits.pop(0)
            logger.debug("%s %s: %s; trying again", method, path, problem)
            time.sleep(wait * random.uniform(0.5, 1.0))

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    @staticmethod
    def _node(host: str, authorization: str | None, ca_certs: str | None, verify_certs: bool) -> NodeConfig:
        node = url_to_node_config(host, use_default_ports_for_scheme=True)
        options: dict[str, Any] = {"connections_per_node": _CONNECTIONS}
        if authorization is not None:
            options["headers"] = {**node.headers, "authorization": authorization}
        if node.scheme == "https":
            options |= {"ca_certs": ca_certs, "verify_certs": verify_certs, "ssl_show_warn": False}
        return node.replace(**options)

    def _send(
        self, method: str, target: str, body: Mapping[str, Any] | bytes | None, timeout: float
    ) -> tuple[int, Any, str]:
        """Status and answer, or what makes another try worth while."""
        headers = {"accept": "application/json"}
        if body is not None:
            headers["content-type"] = "application/x-ndjson" if isinstance(body, bytes) else "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode()
        try:
            response = self._transport.perform_request(
                method, target, body=body, headers=headers, request_timeout=timeout
            )
        except ConnectionTimeout as error:
            raise StoreTimeoutError(f"the server {self.name} gave no answer within {timeout:g} s") from error
        except TlsError as error:
            raise DocumentStoreError(
                f"the server {self.name} can't be trusted: {error.message}; check ca_certs and verify_certs"
            ) from error
        except TransportConnectionError as error:
            return 0, None, error.message
        except SerializationError as error:
            raise DocumentStoreError(f"the answer of the server {self.name} isn't JSON: {error.message}") from error
        status = response.meta.status
        if status in _BUSY:
            return status, None, f"status {status}: {_reason(response.body)[1]}"
        self.is_elasticsearch = "x-elastic-product" in response.meta.headers
        return status, response.body, ""

    def _checked(self, method: str, path: str, status: int, answer: Any) -> dict[str, Any]:
        if status < 400:
            if not isinstance(answer, dict):
                raise DocumentStoreError(f"the answer of the server {self.name} isn't JSON: {answer!r:.200}")
            return answer
        kind, reason = _reason(answer)
        if status in _REFUSED:
            reason = f"{reason}; check api_key, username and password, and what they allow"
        raise RequestRefusedError(f"the server {self.name} refused {method} {path} (status {status}): {reason}", kind)


def authorization(api_key: str | None, username: str | None, password: str | None) -> str | None:
    """
    The header that tells who asks.

    :param api_key: An API key as the server encodes it.
    :param username: A user, instead of a key.
    :param password: The user's password.
    :returns: The value of `Authorization`, or None when nothing is given.
    :raises ValueError: If both are given, or a password without a user.
    """
    if bool(username) != bool(password) or (api_key and username):
        raise ValueError("give either api_key, or username and password")
    if api_key:
        return f"ApiKey {api_key}"
    if username:
        return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()
    return None


def error_reason(error: Any) -> str:
    """
    What a server says of an error.

    :param error: The value of `error` in its answer, of a request or of one item of a bulk request.
    :returns: Its kinds and reasons down to the first cause, in one line.
    """
    parts = []
    while isinstance(error, Mapping):
        parts.append(f"{error.get('type')}: {error.get('reason')}")
        error = error.get("caused_by")
    return " <- ".join(parts) or f"{error!r:.200}"


def _reason(answer: Any) -> tuple[str, str]:
    error = answer.get("error") if isinstance(answer, Mapping) else None
    if isinstance(error, Mapping):
        cause = (error.get("root_cause") or [error])[0]
        return str(error.get("type")), error_reason(error if error.get("caused_by") else cause)
    return "", f"{error or answer or 'no reason given'!s:.200}"
