"""Haystack's own tests for document stores, against every vector store."""

from dataclasses import replace

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.document_stores.types import DocumentStore, DuplicatePolicy
from haystack.testing.document_store import DocumentStoreBaseTests

from tests.components.stores.opened_stores import NewStore


class TestVectorStores(DocumentStoreBaseTests):
    @pytest.fixture
    def document_store(self, new_vector_store: NewStore) -> DocumentStore:
        return new_vector_store(dimension=768, store_content=True)

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        # documents come sorted by id, without embeddings
        expected = [replace(document, embedding=None) for document in expected]
        assert received == sorted(expected, key=lambda document: document.id)

    def test_write_documents(self, document_store: DocumentStore) -> None:
        document = Document(id="1", content="first")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError, match="'1'"):
            document_store.write_documents([document])
        assert document_store.write_documents([Document(id="1", content="second")], DuplicatePolicy.OVERWRITE) == 1
        assert document_store.filter_documents() == [Document(id="1", content="second")]
