import pytest

from components.results.printed_citations import printed


@pytest.mark.parametrize(
    ("identifier", "citation"),
    [
        ("mpep:2106.04(a)(2)", "MPEP 2106.04(a)(2)"),
        ("usc:35:112(b)", "35 U.S.C. 112(b)"),
        ("cfr:37:1.98", "37 CFR 1.98"),
        ("fp:7.05.01", "form paragraph 7.05.01"),
        ("fr:2030-90011", "FR Doc. 2030-90011"),
        ("frcite:95:99011", "95 FR 99011"),
        ("2031-90007", "2031-90007"),
    ],
)
def test_printed(identifier: str, citation: str) -> None:
    assert printed(identifier) == citation
