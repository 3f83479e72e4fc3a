"""The document side of the packaged embedder."""

from pathlib import Path

import numpy as np
import pytest
from haystack import Document, Pipeline

from components.embedders.e5_document_embedder import E5DocumentEmbedder
from components.embedders.e5_engine import shared_engine


@pytest.mark.parametrize(
    ("meta", "field", "text"),
    [
        ({"heading_path": "Manual > 12 Fees"}, "heading_path", "Manual > 12 Fees\nPay in time."),
        ({"path": "Fees"}, "path", "Fees\nPay in time."),
        ({"heading_path": "Manual > 12 Fees"}, "", "Pay in time."),
        ({"heading_path": ""}, "heading_path", "Pay in time."),
        ({}, "heading_path", "Pay in time."),
    ],
)
def test_the_heading_path_goes_before_the_content(
    model_folder: Path, meta: dict[str, str], field: str, text: str
) -> None:
    document = Document(id="1", content="Pay in time.", meta=meta)

    embedded = E5DocumentEmbedder(str(model_folder), heading_field=field).run([document])["documents"]

    expected = shared_engine(model_folder).embed([text], "passage")[0]
    np.testing.assert_array_equal(np.float32(embedded[0].embedding), expected)
    assert (embedded[0].id, embedded[0].content, embedded[0].meta) == ("1", "Pay in time.", meta)
    assert document.embedding is None


def test_documents_keep_their_order(model_folder: Path) -> None:
    documents = [Document(id=str(number), content=f"Rule {number}") for number in range(6)]

    embedded = E5DocumentEmbedder(str(model_folder)).run(documents)["documents"]

    assert [document.id for document in embedded] == list("012345")
    alone = shared_engine(model_folder).embed(["Rule 4"], "passage")[0]
    np.testing.assert_array_equal(np.float32(embedded[4].embedding), alone)


def test_no_documents_and_no_content(model_folder: Path) -> None:
    embedder = E5DocumentEmbedder(str(model_folder))

    assert embedder.run([])["documents"] == []
    assert len(embedder.run([Document(id="1")])["documents"][0].embedding) == 384


def test_workers_must_be_positive() -> None:
    with pytest.raises(ValueError, match="workers: 0"):
        E5DocumentEmbedder("e5", workers=0)


def test_it_goes_through_yaml_without_loading_the_model() -> None:
    pipeline = Pipeline()
    pipeline.add_component("embedder", E5DocumentEmbedder("e5", heading_field="path", workers=1))

    loaded = Pipeline.loads(pipeline.dumps()).get_component("embedder")

    assert (loaded.model, loaded.heading_field, loaded.workers) == ("e5", "path", 1)
