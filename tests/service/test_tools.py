import pytest

from service.tools import allowed_values


@pytest.mark.parametrize(
    ("schema", "phrase"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 20}, "an integer from 1 to 20"),
        ({"type": "integer", "minimum": 1}, "an integer from 1 on"),
        ({"type": "integer", "maximum": 1000}, "an integer up to 1,000"),
        ({"type": "integer"}, "an integer"),
        ({"type": "string", "minLength": 3, "maxLength": 10_000}, "a string of 3 to 10,000 characters"),
        ({"type": "string"}, "a string"),
        ({"type": "boolean"}, "true or false"),
        ({"enum": ["MPEP", "35_USC"]}, 'one of "MPEP", "35_USC"'),
        ({"const": "ja"}, '"ja"'),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "true or false or null"),
        ({"type": "array"}, "of type array"),
    ],
)
def test_a_schema_in_words(schema, phrase):
    assert allowed_values(schema) == phrase
