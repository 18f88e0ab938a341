"""What changes elsewhere, as it changes: another tab, another process, an import that runs."""

from contextlib import AbstractAsyncContextManager

from fuel_app.providers.signals import Changes, signals


async def publish(topic: str) -> None:
    """Tell all who follow a topic that it has changed. Say it after the commit."""
    await signals().publish(topic)


def listening(*topics: str) -> AbstractAsyncContextManager[Changes]:
    """Listen to topics until the block ends; `await changes.next()` waits for a change."""
    return signals().listening(*topics)
