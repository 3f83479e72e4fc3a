"""What a file of the company documents is, told by its content and never by its name alone."""

from components.converters.recognition import Recognition


def recognize_company_document(data: bytes, name: str) -> Recognition:
    """
    Tell the kind of a file.

    :param data: The file's content.
    :param name: The file's name.
    :returns: The kind, or an empty kind with the reason.
    """
    if data.lstrip().startswith((b"{", b"\xef\xbb\xbf{")):
        return Recognition("beir", "records")
    return Recognition("", "of a format that isn't read")
