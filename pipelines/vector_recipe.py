"""What vectors were made by: vectors of two recipes can't be compared, so they never stand in one index."""

import json
from dataclasses import dataclass
from typing import Any

from pipelines.component_types import find_class
from pipelines.loading import Definition
from pipelines.production import EMBEDDER
from pipelines.settings import Settings

# Manifests told neither a recipe nor its version at first; this is what there was then.
_FIRST_RECIPES = {
    "components.embedders.e5_document_embedder.E5DocumentEmbedder": "multilingual-e5-small, version 2",
}


@dataclass(frozen=True)
class VectorRecipe:
    """
    An embedder with its parameters, and the recipe that its class declares in an attribute `recipe`, if it does.

    Parameters that its class names in an attribute `beside_recipe`, such as a server's URL, are no part of it.

    Usage example:
    ```python
    VectorRecipe.of(resolve("mpep_indexing"), settings, "us-patent-law") == VectorRecipe.read(info.recipe)
    ```

    :param type: The embedder's class; "" for none.
    :param parameters: Its parameters as JSON, without the place of the data.
    :param recipe: What it makes vectors by, with a version that changes when they do: "multilingual-e5-small, version
        2"; "" when its parameters say it all.
    """

    type: str
    parameters: str
    recipe: str

    @classmethod
    def of(cls, definition: Definition, settings: Settings, corpus: str) -> "VectorRecipe":
        """
        What an indexing pipeline embeds by.

        :param definition: The resolved pipeline.
        :param settings: Where models are.
        :param corpus: The corpus that it indexes.
        :returns: The recipe.
        """
        spec = definition["components"].get(EMBEDDER)
        if spec is None:
            return cls("", "null", "")
        embedder = find_class(spec["type"])
        beside = getattr(embedder, "beside_recipe", ())
        parameters = {name: value for name, value in (spec.get("init_parameters") or {}).items() if name not in beside}
        return cls(spec["type"], portable(parameters, settings, corpus), str(getattr(embedder, "recipe", "")))

    @classmethod
    def read(cls, text: str) -> "VectorRecipe | None":
        """
        The recipe that a manifest holds.

        :param text: What `str` gave, or an embedder's definition alone, as manifests held it at first.
        :returns: The recipe; None when nothing was embedded yet.
        """
        data = json.loads(text or "null")
        if data is None:
            return cls("", "null", "") if text else None
        recipe = data.get("recipe", _FIRST_RECIPES.get(data["type"], ""))
        return cls(data["type"], json.dumps(data.get("init_parameters"), sort_keys=True), recipe)

    def __str__(self) -> str:
        """As a manifest holds it."""
        if not self.type:
            return "null"
        data = {"type": self.type, "init_parameters": json.loads(self.parameters), "recipe": self.recipe}
        return json.dumps(data, sort_keys=True)

    def renews(self, before: "VectorRecipe") -> bool:
        """
        Whether it is the same embedder, which has only a new version since.

        :param before: What made the vectors that are there.
        :returns: False when it is another embedder, or one with other parameters.
        """
        return (self.type, self.parameters) == (before.type, before.parameters)

    @property
    def label(self) -> str:
        """For people."""
        return self.recipe or f"{self.type.rpartition('.')[2]} {self.parameters}" if self.type else "no embedder"


def portable(value: Any, settings: Settings, corpus: str) -> str:
    """A part of a definition as JSON, without the place of the data, so that moving it changes nothing."""
    text = json.dumps(value, sort_keys=True)
    return text.replace(str(settings.index_dir(corpus)), "").replace(str(settings.models_dir), "")
