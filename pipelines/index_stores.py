"""The document stores that an indexing pipeline writes."""

from typing import Any

from pipelines.loading import Definition, build, without
from pipelines.production import KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER

STORES = {"keyword": KEYWORD_WRITER, "parents": PARENTS_WRITER, "vector": VECTOR_WRITER}
"""Names of stores, and the components that write them."""

INDEXING_TIMEOUT = 60
"""Seconds that a server may take to answer what an index run reads; a profile's own are for people who wait."""


def open_stores(definition: Definition) -> dict[str, Any]:
    """
    Open the stores of an index.

    :param definition: The resolved indexing pipeline.
    :returns: Those that it writes, by name.
    :raises ConfigError: When they can't be made.
    """
    writers = {name: writer for name, writer in STORES.items() if writer in definition["components"]}
    others = [name for name in definition["components"] if name not in writers.values()]
    pipeline = build(patient(without(definition, others)))
    components: dict[str, Any] = {name: pipeline.get_component(writer) for name, writer in writers.items()}
    return {name: component.document_store for name, component in components.items()}


def patient(definition: Definition) -> Definition:
    """
    The definition of a pipeline whose work is done at night: servers may take their time to answer.

    :param definition: A resolved indexing pipeline.
    :returns: The same with other time limits for what is read from stores.
    """
    components = {}
    for name, spec in definition["components"].items():
        parameters = spec.get("init_parameters") or {}
        store = parameters.get("document_store") or {}
        if "search_timeout" in (store.get("init_parameters") or {}):
            limits = {**store["init_parameters"], "search_timeout": INDEXING_TIMEOUT}
            parameters = {**parameters, "document_store": {**store, "init_parameters": limits}}
        components[name] = {**spec, "init_parameters": parameters}
    return {**definition, "components": components}
