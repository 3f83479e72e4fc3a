"""What an operator sets through the environment; every name has the prefix TANSAKU_."""

import ipaddress
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from pipelines.errors import ArgumentError
from service.keys import KeyRing


class ServiceSettings(BaseSettings):
    """
    Settings of the service, read from the environment when it is built.

    Usage example:
    ```python
    settings = ServiceSettings(port=8080)
    settings.require_safe_host()
    ```
    """

    model_config = SettingsConfigDict(env_prefix="TANSAKU_", extra="ignore")

    host: str = "127.0.0.1"
    """The address to listen on. One that other machines reach needs `api_keys`."""

    port: int = Field(default=1416, ge=0, le=65535)
    """The port to listen on; 0 takes a free one."""

    profile: str = "embedded"
    """Which stores and models the names in a pipeline stand for."""

    corpora: str = ""
    """The corpora to serve, separated by commas; when empty those that have an index, or US patent law."""

    samples: bool = True
    """Whether an empty index is filled with the project's samples at the first start."""

    api_keys: SecretStr = SecretStr("")
    """Who may call: `role:key` entries separated by commas, the role being search or admin."""

    cors_origins: str = ""
    """Origins, separated by commas, whose pages may call the service from a browser; none when empty."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """The least severe kind of line that is logged."""

    shutdown_seconds: int = Field(default=5, ge=0)
    """How long open requests may take to end at shutdown."""

    @property
    def keys(self) -> KeyRing:
        """The keys that callers may use."""
        return KeyRing.parse(self.api_keys.get_secret_value())

    @property
    def named_corpora(self) -> list[str]:
        """The corpora to serve, as far as they are named."""
        return [name.strip() for name in self.corpora.split(",") if name.strip()]

    @property
    def origins(self) -> list[str]:
        """The origins that CORS allows."""
        return [origin.strip().rstrip("/") for origin in self.cors_origins.split(",") if origin.strip()]

    def require_safe_host(self) -> None:
        """
        Refuse to listen where other machines can call without a key.

        :raises ArgumentError: When `host` isn't a loopback address and no key is set.
        """
        if not self.keys and not is_loopback(self.host):
            raise ArgumentError(
                "host", self.host, "a loopback address such as 127.0.0.1, unless TANSAKU_API_KEYS is set"
            )


def is_loopback(host: str) -> bool:
    """
    Tell whether a host name or address means this machine alone.

    :param host: A name or an address, an IPv6 address with or without brackets.
    :returns: True for localhost, 127.0.0.0/8 and ::1.
    """
    name = host.strip("[]").rstrip(".").lower()
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost" or name.endswith(".localhost")
