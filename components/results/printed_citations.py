"""Canonical identifiers as people write them."""

_FORMS = {
    "mpep:": "MPEP {}",
    "usc:35:": "35 U.S.C. {}",
    "cfr:37:": "37 CFR {}",
    "fp:": "form paragraph {}",
    "fr:": "FR Doc. {}",
}


def printed(identifier: str) -> str:
    """
    An identifier as it is printed; what has no printed form stays as it is.

    >>> printed("usc:35:112(b)"), printed("frcite:95:99011"), printed("2031-90007")
    ('35 U.S.C. 112(b)', '95 FR 99011', '2031-90007')

    :param identifier: From `components.analysis.legal_citations`.
    :returns: The citation.
    """
    if identifier.startswith("frcite:"):
        return identifier.removeprefix("frcite:").replace(":", " FR ")
    form = next((form for form in _FORMS if identifier.startswith(form)), "")
    return _FORMS[form].format(identifier.removeprefix(form)) if form else identifier
