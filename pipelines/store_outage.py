"""What a search does when a store's server can't be reached: goes on without it, or refuses where it may not."""

from collections.abc import Collection, Mapping
from typing import Any

from pipelines.errors import ConfigError, StoreDownError
from pipelines.loading import Definition, prepare_haystack
from pipelines.settings import Settings

prepare_haystack()

from components.stores.store_errors import StoreUnavailableError  # noqa: E402  # imports Haystack

PARTS = ("keyword", "vector", "reranker")


def required_parts(names: Definition, settings: Settings) -> frozenset[str]:
    """
    The parts that no answer may be made without.

    :param names: What the profile defines.
    :param settings: Whether this is production or staging.
    :returns: What the profile lists under `require`; nothing in development.
    :raises ConfigError: When the profile lists something else than parts of a search.
    """
    required = names.get("require") or []
    if not isinstance(required, list) or not set(required) <= set(PARTS):
        raise ConfigError(f"require: {required!r} is not allowed; it must be a list of {', '.join(PARTS)}")
    return frozenset(required) if settings.is_strict else frozenset()


def refuse_without(required: Collection[str], outputs: Mapping[str, Any], degraded: Collection[str]) -> None:
    """
    Refuse an answer that may not be given.

    :param required: The parts that it must be made with.
    :param outputs: The query pipeline's outputs, by component.
    :param degraded: The parts that it was made without.
    :raises StoreDownError: When a required part is missing, or both arms are, whose answer
        would be empty.
    """
    missing = set(required) & set(degraded)
    arms = {"keyword": "keyword_retriever", "vector": "vector_retriever"}
    silent = {arm for arm, name in arms.items() if outputs.get(name, {}).get("degraded")}
    if missing or silent == set(arms):
        raise StoreDownError(sorted(missing or silent))


def count_reachable(stores: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, str]]:
    """
    Count the documents of stores.

    :param stores: The stores by name.
    :returns: The counts of those that answer, and what is wrong with the others.
    """
    counts, problems = {}, {}
    for name, store in stores.items():
        try:
            counts[name] = store.count_documents()
        except StoreUnavailableError as error:
            problems[name] = str(error)
    return counts, problems
