"""The embedder of the settings: a server that takes the place of the one that a profile names."""

import re
from typing import Any

from pipelines.errors import ConfigError
from pipelines.settings import Settings

DIMENSION = 384
"""The length of the packaged embedder's vectors."""

_KEY = {"type": "env_var", "env_vars": ["TANSAKU_EMBEDDER_API_KEY"], "strict": False}
_URL = re.compile(r"https?://[^\s/]\S*")
_PREFIXES = {"query": "query: ", "passage": "passage: "}  # of the E5 family


def served_embedder(settings: Settings, budget: float | None = None) -> dict[str, Any]:
    """
    What a profile calls `embedder` when there is a server for it; the key stays a reference to the environment.

    :param settings: They name the server.
    :param budget: Seconds that the vector arm of a search may take; None for what the component takes by itself.
    :returns: The definitions of the components `query` and `passage`.
    :raises ConfigError: When the URL is none.
    """
    url = checked_url(settings.embedder_url or "")
    given = {"query": settings.embedder_query_prefix, "passage": settings.embedder_passage_prefix}
    is_e5 = "e5" in settings.embedder_model.lower()
    prefixes = {
        kind: (_PREFIXES[kind] if is_e5 else "") if prefix is None else prefix for kind, prefix in given.items()
    }
    server = {
        "url": url,
        "model": settings.embedder_model,
        "dimension": settings.embedder_dimension,
        "api_key": _KEY,
    }
    limit = {} if budget is None else {"timeout": budget}
    query = {**server, **limit, "query_prefix": prefixes["query"], "passage_prefix": prefixes["passage"]}
    passage = {**server, "prefix": prefixes["passage"]}
    return {
        "query": _component("server_text_embedder.ServerTextEmbedder", query),
        "passage": _component("server_document_embedder.ServerDocumentEmbedder", passage),
    }


def checked_url(url: str) -> str:
    """
    Refuse what can't be the URL of a server.

    :param url: As the user gave it.
    :returns: The same.
    :raises ConfigError: When it isn't a URL.
    """
    if not _URL.fullmatch(url):
        raise ConfigError(
            f"--embedder-url (TANSAKU_EMBEDDER_URL): {url!r} is not allowed; it must be the URL of an embedding server "
            "without /embeddings, such as http://localhost:8080/v1"
        )
    return url


def _component(name: str, parameters: dict[str, Any]) -> dict[str, Any]:
    return {"type": f"components.embedders.{name}", "init_parameters": parameters}
