import pytest

from pipelines.errors import ConfigError
from service.keys import KeyRing

READER, OWNER = "reader-key-0123456789", "owner-key-0123456789"


def test_a_key_has_its_role():
    keys = KeyRing.parse(f"search:{READER}, admin:{OWNER}\n")

    assert keys
    assert keys.role_of(READER) == "search"
    assert keys.role_of(OWNER) == "admin"
    assert keys.role_of(READER[:-1]) is None
    assert keys.role_of("") is None
    assert keys.role_of("schl\u00fcssel-\udcff") is None


def test_a_key_may_hold_colons():
    assert KeyRing.parse("search:a:b:c:0123456789ab").role_of("a:b:c:0123456789ab") == "search"


def test_nothing_means_no_keys():
    assert not KeyRing.parse("")
    assert not KeyRing.parse(" , ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (READER, "entry 1 must be written role:key"),
        (f"search:{READER},root:{OWNER}", "entry 2 has the role 'root'"),
        ("admin:short", "the key of entry 1 has 5 characters; it must have 16 or more"),
        (f"search:{READER},admin:{READER}", "the key of entry 2 was given before"),
    ],
)
def test_a_wrong_entry_is_named_by_number_and_its_key_never_shown(text, message):
    with pytest.raises(ConfigError, match=message) as caught:
        KeyRing.parse(text)

    assert READER not in str(caught.value)
    assert OWNER not in str(caught.value)


def test_the_ring_doesnt_show_keys():
    assert READER not in repr(KeyRing.parse(f"search:{READER}"))
