"""What makes an index anew: its content's definition, not how its servers are reached."""

from pathlib import Path
from typing import Any

import pytest

from pipelines.index_versions import IndexVersions
from pipelines.loading import resolve
from pipelines.manifest import Manifest
from pipelines.settings import Settings


@pytest.mark.parametrize(
    ("changes", "is_made_anew"),
    [
        ({"search_timeout": 5.0, "hosts": "https://elsewhere:9200", "ca_certs": "ca.pem", "username": None}, False),
        ({"text_fields": ["stems"]}, True),
        ({"settings": {"number_of_replicas": 1}}, True),
    ],
)
def test_what_is_indexed_again(
    changes: dict[str, Any], is_made_anew: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path)
    definition = resolve("mpep_indexing", "cluster", settings, "us-patent-law")
    with Manifest(tmp_path / "manifest.sqlite") as manifest:
        IndexVersions(manifest, definition, settings, "us-patent-law").expire(0)
        with manifest.transaction():
            manifest.change(
                "INSERT INTO sources (origin, file, name, digest, state) VALUES ('a', 'a', 'a', 'x', 'done')"
            )

        parameters = definition["components"]["keyword_writer"]["init_parameters"]["document_store"]["init_parameters"]
        parameters.update(changes)
        IndexVersions(manifest, definition, settings, "us-patent-law").expire(0)

        assert (manifest.info().pending_sources == 1) is is_made_anew
