"""
Values of meta fields as exact tokens: one field full of tokens makes every meta field of a document filterable without
declaring it, and means the same in every store.
"""

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

from components.stores.filters import Scalar, date_number, field_values

_SEPARATOR = "\x1f"
_LONGEST_STRING = 256


def filter_tokens(meta: Mapping[str, Any]) -> list[str]:
    """
    The tokens that make a document filterable.

    :param meta: The document's meta.
    :returns: For each field that isn't null one token, one for each of its values and one for each that is a date.
    """
    tokens = []
    for field, values in field_values(meta).items():
        tokens.append(present_token(field))
        for value in values:
            tokens.append(value_token(field, value))
            number = date_number(value)
            if number is not None:
                tokens.append(number_prefix(field, is_date=True) + sortable_hex(number))
    return tokens


def present_token(field: str) -> str:
    """
    The token of documents where a field isn't null.

    :param field: The field.
    :returns: The token.
    """
    return f"{field}{_SEPARATOR}e"


def value_token(field: str, value: Scalar) -> str:
    """
    The token of documents where a field holds a value.

    :param field: The field.
    :param value: The value.
    :returns: The token.
    """
    if isinstance(value, bool):
        return f"{field}{_SEPARATOR}b{int(value)}"
    if isinstance(value, float):
        return number_prefix(field, is_date=False) + sortable_hex(value)
    if len(value) > _LONGEST_STRING:
        # a token may not grow without bound, and strings are only ever compared for equality
        return f"{field}{_SEPARATOR}h{hashlib.blake2b(value.encode(), digest_size=16).hexdigest()}"
    return f"{field}{_SEPARATOR}s{value}"


def number_prefix(field: str, is_date: bool) -> str:
    """
    How the tokens of a field's numbers begin; what follows are 16 hexadecimal digits.

    :param field: The field.
    :param is_date: Whether the numbers are dates.
    :returns: The prefix.
    """
    return f"{field}{_SEPARATOR}{'d' if is_date else 'n'}"


def sortable_hex(number: float) -> str:
    """
    A number as digits that sort as text as the numbers do.

    :param number: The number.
    :returns: Sixteen hexadecimal digits.
    """
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))  # + 0.0 makes -0.0 equal 0.0
    bits = bits ^ 0xFFFF_FFFF_FFFF_FFFF if bits >> 63 else bits | 0x8000_0000_0000_0000
    return f"{bits:016x}"
