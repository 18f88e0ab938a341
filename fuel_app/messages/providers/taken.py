"""Messages that a provider has taken."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """A message that its provider took, with its id there if it gives one; or why none was sent."""

    provider_id: str = ""
    note: str = ""
