"""Steps in a row: which of them may be opened."""

from collections.abc import Iterable


def start_at(asked: str, steps: Iterable[tuple[str, bool]]) -> str | None:
    """The step to go to instead of the one asked for; None if that one may be opened.

    Args:
        asked: The address in the browser.
        steps: Address and whether it is done, in their order; the last one never is.
    """
    asked = asked.rstrip("/")
    opens = next(address for address, done in steps if address == asked or not done)
    return None if opens == asked else opens
