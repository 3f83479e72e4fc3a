import pytest

from pipelines.errors import ArgumentError
from service.settings import ServiceSettings, is_loopback


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("[::1]", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("api.localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("", False),
    ],
)
def test_is_loopback(host, loopback):
    assert is_loopback(host) is loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "search.example.org"])
def test_other_machines_are_served_with_keys_alone(host, keys):
    with pytest.raises(ArgumentError, match="TANSAKU_API_KEYS"):
        ServiceSettings(host=host).require_safe_host()
    ServiceSettings(host=host, api_keys=keys).require_safe_host()


def test_the_defaults_are_closed():
    settings = ServiceSettings()

    assert settings.host == "127.0.0.1"
    assert settings.origins == []
    assert not settings.keys


def test_the_environment_sets_them(monkeypatch, keys):
    monkeypatch.setenv("TANSAKU_API_KEYS", keys)
    monkeypatch.setenv("TANSAKU_CORS_ORIGINS", "https://a.example.org/, http://localhost:3000")
    monkeypatch.setenv("TANSAKU_SAMPLES", "no")

    settings = ServiceSettings()

    assert settings.keys.role_of("owner-key-0123456789") == "admin"
    assert settings.origins == ["https://a.example.org", "http://localhost:3000"]
    assert settings.samples is False
    assert "owner-key" not in repr(settings)
