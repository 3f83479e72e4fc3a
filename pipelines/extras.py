"""Packages that only some profiles need, and the command that installs them."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from pipelines.errors import ConfigError

_PACKAGES = {
    "components.stores.elasticsearch_document_store.ElasticsearchKeywordStore": "elastic_transport",
    "components.stores.qdrant_document_store.QdrantDocumentStore": "qdrant_client",
}
INSTALL = ".venv/bin/pip install -c constraints.txt -e '.[cluster]'"


def require_extras(definition: Any) -> None:
    """
    Say what to install where a definition needs more than what comes with the project.

    :param definition: A resolved definition, or a part of it.
    :raises ConfigError: When a package isn't there.
    """
    for kind in sorted(set(_types(definition)) & set(_PACKAGES)):
        if find_spec(_PACKAGES[kind]) is None:
            raise ConfigError(
                f"{kind.rpartition('.')[2]} needs the package {_PACKAGES[kind]}, which isn't installed; install it "
                f"with: {INSTALL}"
            )


def _types(value: Any) -> Iterator[str]:
    """The types of all objects inside."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for inner in value.values():
            yield from _types(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _types(inner)
