"""The contents of messages: one for its HTML, its text and its text message."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from fuel_app.messages.rules.content import accounts, bookings
from fuel_app.messages.rules.content.parts import Button, Content, MissingValue
from fuel_app.messages.rules.kinds import UnknownKind

__all__ = ["CONTENTS", "Button", "Content", "MissingValue", "content_of", "values_of"]

# The public functions of each family, by the kind that is their name.
CONTENTS: Mapping[str, Callable[..., Content]] = {
    name: made
    for family in (accounts, bookings, accounts, accounts)
    for name, made in vars(family).items()
    if inspect.isfunction(made) and made.__module__ == family.__name__ and name[0] != "_"
}


def content_of(kind: str, values: Mapping[str, Any]) -> Content:
    """Return a message's content; values that its text does not need are ignored.

    Raises:
        MissingValue: If one that it needs is missing or empty.
        UnknownKind
    """
    if kind not in CONTENTS:
        raise UnknownKind(kind)
    for name, is_needed in values_of(kind).items():
        if is_needed and values.get(name) in (None, ""):
            raise MissingValue(f"{kind}: {name}")
    given = {name: str(values[name]) for name in values_of(kind) if values.get(name) is not None}
    return CONTENTS[kind](**given)


def values_of(kind: str) -> dict[str, bool]:
    """Return the values that a text takes, and whether it needs each."""
    parameters = inspect.signature(CONTENTS[kind]).parameters.values()
    return {each.name: each.default is inspect.Parameter.empty for each in parameters}
