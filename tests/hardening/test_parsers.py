"""Every parser of the rules, given anything: it answers, or it refuses in words.

What is annotated `object` was sent by somebody. Those parsers are found by themselves, so that a
new one is tried from its first day.
"""

import contextlib
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fuel_app
from fuel_app.bookings import preview as slot_sample
from fuel_app.customers import preview as customer_sample
from fuel_app.customers.rules.notifications import NotificationSettings
from fuel_app.kit.errors import Refusal
from fuel_app.waitlist import rules as waitlist
from tests.hardening.nasty import NASTY

SENT = (object, Mapping[str, object])
FIELDS = (
    "email",
    "phone",
    "zip",
    "make",
    "model",
    "year",
    "notes",
    "sort",
    "page",
    "min",
    "fuel_types",
)
TEXTS = st.text(st.characters(codec=None, categories=None), max_size=40)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
KEYS = st.sampled_from(FIELDS) | TEXTS
ANYTHING = st.sampled_from(list(NASTY.values())) | st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
# What else a parser is told, by us: it is right.
KNOWN = {
    "cleaners": waitlist.CLEANERS,
    "field": "email",
    "garage": customer_sample.VEHICLES,
    "self": NotificationSettings(),
    "slots": slot_sample.SLOTS,
}
FORMS = st.dictionaries(KEYS, ANYTHING, max_size=5)
STRATEGIES = {object: ANYTHING, Mapping[str, object]: FORMS, bytes: st.binary()}


RULES = {"rules", "contact", "csv", "errors", "clock"}


def _parsers() -> Iterator[tuple[str, Callable[..., Any]]]:
    for found in pkgutil.walk_packages(fuel_app.__path__, "fuel_app."):
        if not RULES & set(found.name.split(".")):
            continue
        module = importlib.import_module(found.name)
        for owner in (module, *_classes_of(module)):
            named = getattr(owner, "__qualname__", module.__name__)
            for name, part in inspect.getmembers(owner):
                if _is_parser(part) and part.__module__ == module.__name__:
                    yield f"{named}.{name}", part
                elif owner is module and _are_cleaners(part):
                    yield from ((f"{named}.{name}[{field}]", part[field]) for field in part)


def _classes_of(module: Any) -> list[type]:
    classes = [part for _, part in inspect.getmembers(module, inspect.isclass)]
    return [
        each
        for each in classes
        if each.__module__ == module.__name__ and not each.__name__.startswith("_")
    ]


def _is_parser(part: Any) -> bool:
    if not inspect.isfunction(part) and not inspect.ismethod(part):
        return False
    parameters = inspect.signature(part).parameters.values()
    return not part.__name__.startswith("_") and any(each.annotation in SENT for each in parameters)


def _are_cleaners(part: Any) -> bool:
    return isinstance(part, Mapping) and bool(part) and all(map(_is_parser, part.values()))


PARSERS = dict(_parsers())


def test_the_parsers_are_found():
    assert len(PARSERS) > 20


@pytest.mark.parametrize("name", PARSERS)
@given(data=st.data())
def test_whatever_is_sent_is_read_or_refused_in_words(name, data):
    arguments = {
        each.name: data.draw(STRATEGIES[each.annotation])
        if each.annotation in STRATEGIES
        else KNOWN[each.name]
        for each in inspect.signature(PARSERS[name]).parameters.values()
        if each.annotation in STRATEGIES or each.default is each.empty
    }
    with contextlib.suppress(Refusal):
        try:
            PARSERS[name](**arguments)
        except ValueError as refusal:
            if type(refusal) is not ValueError:  # a mistake of the parser, such as UnicodeError
                raise
