"""Packages that only some profiles need, and the command that installs them."""

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from pipelines.errors import ConfigError

_PACKAGES = {
    "components.stores.elasticsearch_document_store.ElasticsearchKeywordStore": "elastic_transport",
    "components.stores.qdrant_document_store.QdrantDocumentStore": "qdrant_client",
}
INSTALL = ".venv/bin/pip install -c constraints.txt -e '.[cluster]'"
_MODELS = INSTALL.replace("cluster", "models")
_INTEGRATION = re.compile(r"haystack_integrations\.components\.\w+\.sentence_transformers(\.|$)")


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


def missing_extra(kind: str) -> str:
    """
    What to install where a component's type isn't there because an extra isn't.

    :param kind: The type's dotted name.
    :returns: A sentence; "" when the type comes with no extra, or the extra is installed.
    """
    if not _INTEGRATION.match(kind) or _is_installed("haystack_integrations.components.rankers.sentence_transformers"):
        return ""
    return (
        f"install the extra `models` with: {_MODELS}; or set what stands for it in the profile to null, such as "
        "`reranker: null`. Without it, answers name what they are made without"
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it isn't there
        return False


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
