"""API keys and what their roles may do."""

import hashlib
import hmac
from dataclasses import dataclass

from pipelines.errors import ConfigError

ROLES = ("search", "admin")
"""From the least to the most powerful; each may do what those before it may."""

SHORTEST_KEY = 16


@dataclass(frozen=True)
class KeyRing:
    """
    The keys that callers may use, kept as digests.

    Usage example:
    ```python
    keys = KeyRing.parse("search:4f9d2c0b7a6e5f31,admin:9a8b7c6d5e4f3a2b")
    keys.role_of("4f9d2c0b7a6e5f31")  # "search"
    ```
    """

    roles: tuple[tuple[bytes, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.roles)

    @classmethod
    def parse(cls, text: str) -> "KeyRing":
        """
        Read `role:key` entries separated by commas or white space.

        :param text: The entries; nothing at all means that no key is set.
        :returns: The key ring.
        :raises ConfigError: When an entry is malformed, its role unknown or its key too short. The message numbers the
            entry and never shows a key.
        """
        roles: dict[bytes, str] = {}
        for number, entry in enumerate(text.replace(",", " ").split(), start=1):
            role, colon, key = entry.partition(":")
            if not colon:
                raise ConfigError(f"TANSAKU_API_KEYS: entry {number} must be written role:key, the role one of {ROLES}")
            if role not in ROLES:
                raise ConfigError(f"TANSAKU_API_KEYS: entry {number} has the role {role!r}; it must be one of {ROLES}")
            if len(key) < SHORTEST_KEY:
                raise ConfigError(
                    f"TANSAKU_API_KEYS: the key of entry {number} has {len(key)} characters; "
                    f"it must have {SHORTEST_KEY} or more"
                )
            if _digest(key) in roles:
                raise ConfigError(f"TANSAKU_API_KEYS: the key of entry {number} was given before")
            roles[_digest(key)] = role
        return cls(tuple(roles.items()))

    def role_of(self, key: str) -> str | None:
        """
        Find the role of a key in a time that says nothing about the keys.

        :param key: What the caller sent.
        :returns: The role, or None for an unknown key.
        """
        digest, found = _digest(key), None
        for known, role in self.roles:
            if hmac.compare_digest(known, digest):
                found = role
        return found


def _digest(key: str) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
