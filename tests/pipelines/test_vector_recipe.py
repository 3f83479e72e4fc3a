"""What vectors were made by, as a manifest holds it."""

import json

import pytest

from components.embedders.e5_model import MODEL_VERSION
from pipelines.loading import resolve
from pipelines.settings import Settings
from pipelines.vector_recipe import VectorRecipe

E5 = "components.embedders.e5_document_embedder.E5DocumentEmbedder"
PARAMETERS = '{"model": "/multilingual-e5-small"}'


def test_the_packaged_embedder_tells_its_version_and_not_its_place(tmp_path):
    settings = Settings(data_dir=tmp_path)
    recipe = VectorRecipe.of(resolve("mpep_indexing", "embedded", settings), settings, "us-patent-law")

    assert recipe == VectorRecipe(E5, PARAMETERS, f"multilingual-e5-small, version {MODEL_VERSION}")
    assert VectorRecipe.read(str(recipe)) == recipe


@pytest.mark.parametrize(
    ("held", "read"),
    [
        ("", None),
        ("null", VectorRecipe("", "null", "")),
        (
            json.dumps({"type": E5, "init_parameters": json.loads(PARAMETERS)}),
            VectorRecipe(E5, PARAMETERS, "multilingual-e5-small, version 2"),
        ),
        (json.dumps({"type": "own.Embedder"}), VectorRecipe("own.Embedder", "null", "")),
    ],
)
def test_what_older_manifests_hold(held, read):
    assert VectorRecipe.read(held) == read


@pytest.mark.parametrize(
    ("before", "renews"),
    [
        (VectorRecipe(E5, PARAMETERS, "multilingual-e5-small, version 2"), True),
        (VectorRecipe(E5, PARAMETERS, "multilingual-e5-small, version 1"), True),
        (VectorRecipe(E5, '{"model": "/another"}', "multilingual-e5-small, version 2"), False),
        (VectorRecipe("own.Embedder", PARAMETERS, "multilingual-e5-small, version 2"), False),
    ],
)
def test_a_new_version_of_the_same_embedder(before, renews):
    assert VectorRecipe(E5, PARAMETERS, "multilingual-e5-small, version 2").renews(before) is renews


@pytest.mark.parametrize(
    ("recipe", "label"),
    [
        (VectorRecipe(E5, PARAMETERS, "multilingual-e5-small, version 2"), "multilingual-e5-small, version 2"),
        (VectorRecipe("own.Embedder", '{"model": "m"}', ""), 'Embedder {"model": "m"}'),
        (VectorRecipe("", "null", ""), "no embedder"),
    ],
)
def test_label(recipe, label):
    assert recipe.label == label
