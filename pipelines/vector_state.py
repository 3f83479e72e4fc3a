"""Whether a search can use the vectors of an index, and how it goes on when it can't."""

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from functools import cached_property, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

from pipelines.corpora import get_corpus
from pipelines.errors import IndexDamagedError
from pipelines.loading import resolve
from pipelines.manifest import IndexInfo
from pipelines.settings import Settings
from pipelines.store_damage import damage_named
from pipelines.vector_recipe import VectorRecipe

logger = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")


class VectorState:
    """
    Compares what an index's vectors were made by with the profile's embedder, and remembers that they are damaged.

    Usage example:
    ```python
    VectorState("us-patent-law", "embedded", Settings()).problem(index_info)
    ```

    :param corpus: Whose index.
    :param profile: The profile that is searched with.
    :param settings: Where the index and models are.
    """

    def __init__(self, corpus: str, profile: str, settings: Settings):
        self.corpus = corpus
        self._profile, self._settings = profile, settings
        self._damaged: tuple[IndexInfo | None, str] = (None, "")

    def problem(self, info: IndexInfo) -> str:
        """
        Why the vectors can't be searched.

        :param info: What the index holds.
        :returns: A sentence with the way out; "" when they can.
        """
        if damage := self.damage(info):
            return damage
        resume = f"tansaku index {self.corpus} --resume"
        if info.outdated_vectors:
            return (
                "the vectors of replaced text are still in the index, because a run is at work or was stopped; "
                f"finish it with: {resume}"
            )
        if not info.vectors:
            return f"the index has no vectors yet; make them with: {resume}"
        made_by = VectorRecipe.read(info.recipe)
        if made_by is None or made_by == self._recipe:
            return ""
        if self._recipe.renews(made_by):
            return (
                f"the index's vectors are by another version ({made_by.label}) of the embedder than the present one "
                f"({self._recipe.label}) and can't be searched with it; make new ones with: {resume}"
            )
        return (
            f"the index's vectors are by another recipe ({made_by.label}) than the embedder's "
            f"({self._recipe.label}) and can't be searched with it; name the embedder that made them (--embedder-url, "
            f"TANSAKU_EMBEDDER_MODEL), or make new vectors with: {resume} --renew-vectors"
        )

    def damage(self, info: IndexInfo) -> str:
        """The damage that was noted of this state of the index; "" for none."""
        return self._damaged[1] if self._damaged[0] is info else ""

    def note_damage(self, info: IndexInfo, error: IndexDamagedError) -> None:
        """Search without vectors from now on, until the index changes."""
        logger.warning("Searches go without vectors: %s", error)
        self._damaged = (info, str(error))

    @cached_property
    def _recipe(self) -> VectorRecipe:
        definition = resolve(get_corpus(self.corpus).indexing, self._profile, self._settings)
        return VectorRecipe.of(definition, self._settings, self.corpus)


class Searching(Protocol):
    """What `names_damage` needs of the object whose methods it wraps."""

    corpus: str

    @property
    def vectors(self) -> VectorState: ...

    def one_generation(self) -> AbstractContextManager[None]: ...

    def info(self) -> IndexInfo: ...

    def stores(self) -> Mapping[str, Any]: ...


def names_damage(call: Callable[P, R]) -> Callable[P, R]:
    """
    Wrap a method of a search: all that it asks is of one generation of the index. Where damaged files made it fail, it
    is called again without vectors if only these are damaged, and raises `IndexDamagedError` otherwise.
    """

    @wraps(call)
    def named(*args: P.args, **kwargs: P.kwargs) -> R:
        search: Searching = args[0]  # type: ignore[assignment]
        with search.one_generation():
            try:
                with damage_named(search.corpus, search.stores):
                    return call(*args, **kwargs)
            except IndexDamagedError as error:
                if set(error.damage) != {"vector"} or search.vectors.damage(search.info()):
                    raise
                search.vectors.note_damage(search.info(), error)
            return call(*args, **kwargs)

    return named
