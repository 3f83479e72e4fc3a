"""Numbers of things in messages."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """
    A number with its noun, in the singular or the plural.

    >>> counted(1, "chunk"), counted(1200, "chunk"), counted(0, "query", "queries")
    ('1 chunk', '1,200 chunks', '0 queries')

    :param number: How many.
    :param noun: What, in the singular.
    :param plural: The same in the plural, where it takes more than an s.
    :returns: Both.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
