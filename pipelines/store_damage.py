"""Tells damaged stores from other failures: what a damaged file makes an engine raise says little by itself."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pipelines.errors import IndexDamagedError, StoreDownError, StoreError, TansakuError, causes
from pipelines.loading import prepare_haystack

prepare_haystack()

_REASON = 300


def find_damage(stores: Mapping[str, Any]) -> dict[str, str]:
    """
    Read stores through.

    :param stores: Document stores by name; one without `find_damage` is taken for sound.
    :returns: What is damaged, by the store's name.
    """
    damage = {}
    for name, store in stores.items():
        check = getattr(store, "find_damage", None)
        try:
            found = check() if check else ""
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # an engine's panic is no Exception
            found = " ".join(str(error).split())[:_REASON] or type(error).__name__
        if found:
            damage[name] = found
    return damage


@contextmanager
def damage_named(corpus: str, stores: Callable[[], Mapping[str, Any]]) -> Iterator[None]:
    """
    Look for damage when the block fails, and name it.

    Usage example:
    ```python
    with damage_named("us-patent-law", lambda: {"keyword": store}):
        store.get_many(ids)
    ```

    :param corpus: Whose index it is.
    :param stores: Gives the stores that the block uses.
    :raises IndexDamagedError: When one of them is damaged.
    :raises StoreDownError: When a store's server can't be reached: all that goes without one did so before.
    :raises StoreError: When a store refuses for another reason: another process is writing, other settings.
    """
    from haystack.document_stores.errors import DocumentStoreError

    from components.stores.store_errors import StoreUnavailableError

    try:
        yield
    except (TansakuError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        gone = next((cause for cause in causes(error) if isinstance(cause, StoreUnavailableError)), None)
        if gone:
            raise StoreDownError(["keyword"], str(gone)) from error
        if damage := find_damage(stores()):
            raise IndexDamagedError(corpus, damage) from error
        refused = next((cause for cause in causes(error) if isinstance(cause, DocumentStoreError)), None)
        if refused:
            raise StoreError(str(refused)) from error
        raise
