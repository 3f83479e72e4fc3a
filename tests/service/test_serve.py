"""`tansaku serve`: what it refuses."""

import socket

import pytest
from typer.testing import CliRunner

from cli.main import app


def tansaku(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_without_keys_it_listens_on_loopback_alone(host):
    code, error = tansaku("serve", "--host", host)

    assert code == 2
    assert error == (
        f"error: host: '{host}' is not allowed; "
        "it must be a loopback address such as 127.0.0.1, unless TANSAKU_API_KEYS is set\n"
    )


def test_a_port_in_use_is_reported():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, error = tansaku("serve", "--port", str(port))

    assert code == 1
    assert error == f"error: can't listen on 127.0.0.1 port {port}: Address already in use; try another --port\n"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("TANSAKU_PORT", "http", "TANSAKU_PORT: "),
        ("TANSAKU_LOG_LEVEL", "LOUD", "TANSAKU_LOG_LEVEL: "),
        ("TANSAKU_API_KEYS", "admin:short", "TANSAKU_API_KEYS: the key of entry 1 has 5 characters"),
    ],
)
def test_a_wrong_setting_is_named(monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)

    code, error = tansaku("serve")

    assert code == 1
    assert error.startswith(f"error: {message}")
    assert error.count("\n") == 1
