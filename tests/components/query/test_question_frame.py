"""Which beginnings of a question say nothing of its topic."""

import pytest

from components.query.question_frame import frame_length


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("Where is the section concerning new matter?", "new matter?"),
        ("where are the main provisions on restriction", "restriction"),
        ("What is the MPEP chapter about appeals", "appeals"),
        ("Which is the rule relating to fees", "fees"),
        ("  where is the statute that bars double patenting", "bars double patenting"),
        # No frame.
        ("new matter", "new matter"),
        ("What is new matter?", "What is new matter?"),
        ("The section concerning fees", "The section concerning fees"),
        # Nothing would be left.
        ("Where is the section concerning ?", "Where is the section concerning ?"),
        ("", ""),
    ],
)
def test_what_is_left_of_a_query(query: str, rest: str) -> None:
    assert query[frame_length(query) :] == rest
