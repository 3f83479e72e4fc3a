"""Cases of robustness: what is read, and what is refused with its line."""

from pathlib import Path

import pytest

from evaluation.cases import CaseError, EntityCase, VariationCase, load_cases

VARIATION = "variation_cases:\n  - canonical_form: お盆休み\n    variations: [夏季休業]\n    ground_truth_doc_id: a\n"
ENTITY = "entity_cases:\n  - query: EV-2024-001\n    ground_truth_doc_ids: [a]\n"


def test_cases_of_all_files(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(VARIATION + ENTITY, encoding="utf-8")
    (tmp_path / "two.yaml").write_text(ENTITY + "    should_not_match: [b]\n", encoding="utf-8")
    cases = load_cases(tmp_path)

    assert cases.variations == (VariationCase("お盆休み", ("夏季休業",), "a"),)
    assert cases.variations[0].queries == ("お盆休み", "夏季休業")
    assert cases.entities == (EntityCase("EV-2024-001", ("a",)), EntityCase("EV-2024-001", ("a",), ("b",)))


@pytest.mark.parametrize(
    ("text", "line", "fault"),
    [
        ("other_cases: []\n", 1, "a list variation_cases or entity_cases is expected, not other_cases"),
        ("entity_cases: x\n", 1, "a list variation_cases"),
        ("[]\n", 1, "variation_cases or entity_cases are expected"),
        (ENTITY + "    extra: 1\n", 2, "a case has the fields query, ground_truth_doc_ids, should_not_match"),
        (ENTITY + "    should_not_match: [a]\n", 2, "'a' can't both match and not match"),
        ("entity_cases:\n  - query: ''\n    ground_truth_doc_ids: [a]\n", 2, "'query' must be a string"),
        ("entity_cases:\n  - query: q\n    ground_truth_doc_ids: []\n", 2, "must be a list of strings"),
        (VARIATION + "  - canonical_form: b\n    variations: [c]\n", 5, "'ground_truth_doc_id' must be a string"),
        ("entity_cases: [\n", 2, "expected the node content"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, line: int, fault: str) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(CaseError) as caught:
        load_cases(tmp_path)

    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert fault in str(caught.value)


def test_a_folder_without_cases(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="there are no cases"):
        load_cases(tmp_path)
