import pytest

from memory_components.errors import MemoryInputError
from memory_components.names import checked_given_name, checked_name


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("ann", "ann"),
        (" ann\u3000", "ann"),
        ("\u3000田中 太郎 ", "田中 太郎"),
        ("", ""),
        (" \u3000 ", ""),
        ("x" * 256, "x" * 256),
        ("x" * 256 + " ", "x" * 256),
    ],
)
def test_blanks_around_a_name_are_none_of_it(given: str, kept: str) -> None:
    assert checked_name("user_id", given) == kept


@pytest.mark.parametrize("given", ["", " ", "\u3000", " \u3000 "])
def test_a_name_that_must_be_there(given: str) -> None:
    with pytest.raises(MemoryInputError, match=r"aliases: .* is no name; write what it is called") as refused:
        checked_given_name("aliases", given)

    assert refused.value.code == "NAME_EMPTY"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("x" * 257, "NAME_TOO_LONG"),
        ("a\u200bb", "NAME_MALFORMED"),
        ("a\x1bb", "NAME_MALFORMED"),
        ("a\nb", "NAME_MALFORMED"),
        ("a\u202eb", "NAME_MALFORMED"),
    ],
)
def test_names_that_are_refused(given: str, code: str) -> None:
    with pytest.raises(MemoryInputError, match="concept: ") as refused:
        checked_given_name("concept", given)

    assert refused.value.code == code
