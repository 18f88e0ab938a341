"""What changes elsewhere, as it changes: another tab, another process, an import that runs."""

from contextlib import AbstractAsyncContextManager

from fuel_app.providers.signals import Changes, signals


def listening(*topics: str) -> AbstractAsyncContextManager[Changes]:
    """Listen to topics until the block ends; `await changes.next()` waits for a change."""
    return signals().listening(*topics)
