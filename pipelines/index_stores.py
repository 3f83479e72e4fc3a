"""The document stores that an indexing pipeline writes."""

from typing import Any

from pipelines.loading import Definition, build, without
from pipelines.production import KEYWORD_WRITER, PARENTS_WRITER, VECTOR_WRITER

STORES = {"keyword": KEYWORD_WRITER, "parents": PARENTS_WRITER, "vector": VECTOR_WRITER}
"""Names of stores, and the components that write them."""


def open_stores(definition: Definition) -> dict[str, Any]:
    """
    Open the stores of an index.

    :param definition: The resolved indexing pipeline.
    :returns: Those that it writes, by name.
    :raises ConfigError: When they can't be made.
    """
    writers = {name: writer for name, writer in STORES.items() if writer in definition["components"]}
    others = [name for name in definition["components"] if name not in writers.values()]
    pipeline = build(without(definition, others))
    components: dict[str, Any] = {name: pipeline.get_component(writer) for name, writer in writers.items()}
    return {name: component.document_store for name, component in components.items()}
