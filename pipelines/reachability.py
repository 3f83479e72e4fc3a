"""Tells a network that is down from a server that has trouble: trying again helps the second alone."""

import errno
import socket

from pipelines.errors import causes

_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL})


def why_unreachable(error: BaseException, host: str) -> str:
    """
    Why a host can't be reached from here at all.

    Usage example:
    ```python
    why_unreachable(socket.gaierror(-2, "Name or service not known"), "law.example")
    # "the name law.example can't be resolved"
    ```

    :param error: What a request raised.
    :param host: The host.
    :returns: A phrase; "" when the host, or one in front of it, was reached.
    """
    for cause in causes(error):
        if isinstance(cause, socket.gaierror):
            return f"the name {host} can't be resolved"
        if isinstance(cause, OSError) and cause.errno in _NO_ROUTE:
            return f"there is no route to {host}"
    return ""
