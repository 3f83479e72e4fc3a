"""The chapters of the Manual of Patent Examining Procedure, whose section pages name only the chapter's number."""

CHAPTER_TITLES = {
    "100": "Secrecy, Access, National Security, and Foreign Filing",
    "200": "Types, Cross-Noting, and Status of Application",
    "300": "Ownership and Assignment",
    "400": "Representative of Applicant or Owner",
    "500": "Receipt and Handling of Mail and Papers",
    "600": "Parts, Form, and Content of Application",
    "700": "Examination of Applications",
    "800": "Restriction in Applications Filed Under 35 U.S.C. 111; Double Patenting",
    "900": "Prior Art, Classification, and Search",
    "1000": "Matters Decided by Various U.S. Patent and Trademark Office Officials",
    "1100": "Statutory Invention Registration (SIR); Pre-Grant Publication (PGPub) and Preissuance Submissions",
    "1200": "Appeal",
    "1300": "Allowance and Issue",
    "1400": "Correction of Patents",
    "1500": "Design Patents",
    "1600": "Plant Patents",
    "1700": "Miscellaneous",
    "1800": "Patent Cooperation Treaty",
    "1900": "Protest",
    "2000": "Duty of Disclosure",
    "2100": "Patentability",
    "2200": "Citation of Prior Art and Ex Parte Reexamination of Patents",
    "2300": "Interference Proceedings",
    "2400": "Biotechnology",
    "2500": "Maintenance Fees",
    "2600": "Optional Inter Partes Reexamination",
    "2700": "Patent Terms and Extensions",
    "2800": "Supplemental Examination",
}


def chapter_of(number: str) -> str:
    """
    The chapter that a section number belongs to.

    ```python
    chapter_of("608.01(o)")  # "600"
    ```

    :param number: A section number, or a range of them.
    :returns: The chapter's number; empty if the text doesn't begin with a section number.
    """
    digits = number[: len(number) - len(number.lstrip("0123456789"))]
    return f"{int(digits) // 100 * 100}" if len(digits) in (3, 4) else ""


def chapter_name(chapter: str) -> str:
    """
    A chapter as it stands in a breadcrumb.

    ```python
    chapter_name("600")  # "Chapter 600 Parts, Form, and Content of Application"
    ```

    :param chapter: The chapter's number.
    :returns: "Chapter", number and title; without the title for a chapter that isn't known.
    """
    return " ".join(filter(None, ["Chapter", chapter, CHAPTER_TITLES.get(chapter, "")]))
