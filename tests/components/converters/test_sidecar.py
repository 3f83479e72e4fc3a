"""Metadata written by people: forms, faults with their lines, misspelt names."""

from typing import Any

import pytest

from components.converters.sidecar import MetadataError, checked_metadata, project_number, read_sidecar


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("# only a remark\n", {}),
        ("project_id: ＥＶ－２０２４－００１", {"project_id": "EV-2024-001"}),
        ("updated_at: 2026-05-20", {"updated_at": "2026-05-20"}),
        ("updated_at: 2026/5/2", {"updated_at": "2026-05-02"}),
        ("updated_at: 2026-05-20T09:00:00+09:00", {"updated_at": "2026-05-20T09:00:00+09:00"}),
        ("access_groups: 人事部", {"access_groups": ["人事部"]}),
        ("access_groups: [人事部, 管理職]", {"access_groups": ["人事部", "管理職"]}),
        ("author:\ntitle: 題", {"title": "題"}),
        ("version: 3\nfinal: true\ntags: [一, 二]", {"version": 3, "final": True, "tags": ["一", "二"]}),
    ],
)
def test_forms(text: str, found: dict[str, Any]) -> None:
    assert read_sidecar(text) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title: a\naccess_group: [x]", "line 2: 'access_group' is unknown; write 'access_groups'"),
        ("title: a\n\ndepartement: x", "line 3: 'departement' is unknown; write 'department'"),
        ("access_groups: []", "line 1: 'access_groups' must name a group"),
        ("access_groups: [{a: 1}]", "line 1: 'access_groups' must be a text, not {'a': 1}"),
        ("updated_at: 2026-13-01", "not valid YAML"),
        ("updated_at: いつか", "line 1: 'updated_at' must be a date such as 2026-05-20"),
        ("title: ''", "line 1: 'title' must have 1 to 500 characters"),
        ("origin: x", "line 1: 'origin' is a field that the index writes itself"),
        ("a: {b: c}", "line 1: 'a' must be a text, not {'b': 'c'}"),
        ("title: a\n  b: [", "line 2: not valid YAML"),
        ("- a", "line 1: fields with values are expected"),
        ("just text", "line 1: fields with values are expected"),
        ("3: x", "'3' is no name for a field"),
    ],
)
def test_faults(text: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read_sidecar(text)

    assert message in str(caught.value)


def test_the_field_of_a_fault_is_known() -> None:
    with pytest.raises(MetadataError) as caught:
        checked_metadata({"updated_at": 5})

    assert caught.value.field == "updated_at"


@pytest.mark.parametrize(
    "text", ["ev-2024-001", "ＥＶ－２０２４－００１", "EV‐2024‐001", "EV−2024ー001", " Ev-2024-001 "]
)
def test_project_numbers_have_one_form(text: str) -> None:
    assert project_number(text) == "EV-2024-001"
