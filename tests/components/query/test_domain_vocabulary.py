"""Vocabulary files, right and wrong."""

from pathlib import Path

import pytest

from components.query.domain_vocabulary import Term, VocabularyError, read_vocabulary

PROJECT = Path(__file__).parents[3]


def written(folder: Path, text: str) -> Path:
    path = folder / "terms.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_terms(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "EV-2024-001:\n  definition: the battery project\n  type: PROJECT_ID\n  related: [Kaze]\n"
        "  aliases: [next battery, NB]\n  confidence: 0.9\nKaze: {definition: a fan}\n",
    )

    assert read_vocabulary(path) == [
        Term("EV-2024-001", "the battery project", "PROJECT_ID", ("Kaze",), ("next battery", "NB"), 0.9, 1),
        Term("Kaze", "a fan", line=7),
    ]


def test_an_empty_file(tmp_path: Path) -> None:
    assert read_vocabulary(written(tmp_path, "# nothing yet\n")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "1: the file must be a mapping, written `name: value`"),
        ("A: {definition: x}\nA: {definition: y}\n", "2: 'A' stands twice in the file; keep one of the two"),
        ("A:\n  definition: x\n  definition: y\n", "3: 'definition' stands twice in A"),
        ("A: text\n", "1: A must be a mapping"),
        ("A:\n  aliases: [a]\n", "1: A: `definition:` is missing"),
        ("A:\n  definition: ''\n", "1: A: `definition:` is missing"),
        ("A:\n  definition: x\n  alias: [a]\n", "3: A: 'alias' is none of definition, type, related, aliases"),
        ("A:\n  definition: [x]\n", "2: A: definition must be a single value"),
        ("A: {definition: x, type: ANIMAL}\n", "1: A: type 'ANIMAL' is none of PROJECT_ID, PRODUCT"),
        ("A:\n  definition: x\n  aliases: a, b\n", r"3: A: aliases must be a list of names: \[one, two\]"),
        ("A:\n  definition: x\n  aliases:\n    - {a: b}\n", "4: A: aliases must be a list of names"),
        ("A: {definition: x, confidence: high}\n", "1: A: confidence must be a number from 0 to 1, not 'high'"),
        ("A: {definition: x, confidence: 1.5}\n", "from 0 to 1, not '1.5'"),
        ("A: {definition: x, confidence: nan}\n", "from 0 to 1, not 'nan'"),
        ("A: {definition: x}\nB: {definition: y, aliases: [Ａ]}\n", r"2: B: 'Ａ' is a name of A \(line 1\)"),
        ("A: {definition: x, related: [C]}\n", "1: A: related 'C' is no term of this file"),
        ("A: {definition: x\nB: [", "2: not valid YAML"),
        (f"{'x' * 257}: {{definition: y}}\n", "is longer than 256 characters"),
        ("? [a]\n: {definition: x}\n", "1: the file has a name that is no text"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(VocabularyError, match=rf"terms\.yaml:.*{message}"):
        read_vocabulary(written(tmp_path, text))


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match=r"none\.yaml: can't be read: .*No such file"):
        read_vocabulary(tmp_path / "none.yaml")


def test_the_projects_own_vocabulary_is_right() -> None:
    assert read_vocabulary(PROJECT / "config" / "domain_terms.yaml")
