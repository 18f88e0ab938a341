"""Counters of joins, quotes, imports and outside services."""

import pytest
from prometheus_client import REGISTRY

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers.routing import FirstThatAnswers
from fuel_app.kit.errors import EmailTaken
from fuel_app.waitlist import service as waitlist
from tests.dispatch.test_providers_routing import QUICK, Remote, busy
from tests.factories import waitlist_entry

HERE = "203.0.113.1"
QUESTIONS = "fuel_provider_call_seconds_count"


def value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0


async def test_joins_are_counted_and_refusals_are_not(sqlite_database):
    before, entry = value("fuel_joins_total"), waitlist_entry()
    await waitlist.join(entry, referrer=None, address=HERE)
    with pytest.raises(EmailTaken):
        await waitlist.join(entry, referrer=None, address=HERE)
    assert value("fuel_joins_total") == before + 1


async def test_provider_requests_are_timed_by_outcome():
    provider = Remote("Watched", busy())
    points = Point(27.3, -82.5), Point(27.4, -82.5)

    await FirstThatAnswers((provider,), QUICK).drive(points)

    watched = {"provider": "Watched", "question": "drive"}
    assert value(QUESTIONS, **watched, outcome="failed") == 1
    assert value(QUESTIONS, **watched, outcome="answered") == 1
