"""Token counts by hand: words by length, 0.6 a digit, 0.65 a Japanese or Korean character, 0.8 a mark."""

import pytest

from components.splitters.token_estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("claim", 1),
        ("examiner", 1),
        ("examiners", 2),
        ("a" * 16, 2),
        ("a" * 17, 3),
        ("12345", 3),
        ("1", 1),
        (".", 1),
        ("35 U.S.C. 112(b)", 11),  # 5 x 0.6 + 4 x 1 + 5 x 0.8
        ("特許明細書", 3),  # 5 x 0.65 = 3.25
        ("특허명세서", 3),
    ],
)
def test_estimates(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
