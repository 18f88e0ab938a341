"""Files that mails bring along, such as a receipt.

A message's payload names what a file is of: `{"invoice": "<id>"}`. Packages above messages register
here, since messages cannot import them.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pdf:
    name: str
    data: bytes


# By the payload's name: a function of the id there; None for what is no more.
MAKERS: dict[str, Callable[[str], Awaitable[Pdf | None]]] = {}


async def of(payload: Mapping[str, Any]) -> list[Pdf]:
    """Return the files of a message."""
    made = [await make(payload[name]) for name, make in MAKERS.items() if name in payload]
    return [each for each in made if each]
