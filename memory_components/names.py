"""Names and texts that people send."""

import unicodedata

from memory_components.errors import MemoryInputError

_LONGEST_NAME = 256
_UNSEEN = ("Cc", "Cf", "Zl", "Zp")


def checked_name(argument: str, value: str) -> str:
    """
    A user's name as it is kept, without blanks around it.

    >>> checked_name("user_id", " ann ")
    'ann'

    :param argument: What the name is called in messages.
    :param value: The name; "" for someone unknown.
    :returns: The name.
    :raises MemoryInputError: NAME_TOO_LONG, when it has more than 256 characters; NAME_MALFORMED, when it holds
        characters that can't be seen: two names that look alike must be one user.
    """
    name = clean(value).strip(" \u3000")
    if len(name) > _LONGEST_NAME:
        message = f"{argument}: it has {len(name)} characters; it must have {_LONGEST_NAME} at most"
        raise MemoryInputError("NAME_TOO_LONG", message)
    if "\ufffd" in name or any(unicodedata.category(each) in _UNSEEN for each in name):
        message = f"{argument}: {name!r} holds characters that can't be seen; write it without them"
        raise MemoryInputError("NAME_MALFORMED", message)
    return name


def checked_given_name(argument: str, value: str) -> str:
    """
    A name that must be there, as it is kept.

    >>> checked_given_name("aliases", " Kaze ")
    'Kaze'

    :param argument: What the name is called in messages.
    :param value: The name.
    :returns: The name, without blanks around it.
    :raises MemoryInputError: NAME_EMPTY, or as `checked_name`.
    """
    name = checked_name(argument, value)
    if not name:
        raise MemoryInputError("NAME_EMPTY", f"{argument}: {value!r} is no name; write what it is called")
    return name


def clean(text: str) -> str:
    """
    Text as every database can hold it.

    >>> clean("a\\0b")
    'a\ufffdb'

    :param text: Any text.
    :returns: The text with what can't be stored replaced.
    """
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
