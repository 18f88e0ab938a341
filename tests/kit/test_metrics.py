"""Counters of joins, quotes, imports and outside services."""

import pytest
from prometheus_client import REGISTRY

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers.routing import FirstThatAnswers
from fuel_app.kit.errors import EmailTaken
from fuel_app.submissions import service as submissions
from fuel_app.waitlist import service as waitlist
from tests.dispatch.test_providers_routing import QUICK, Remote, busy
from tests.factories import waitlist_entry
from tests.helpers.jobs import run_due
from tests.lead_files import people, run, table

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


async def test_imports_and_undone_ones_are_counted_with_their_rows_once(sqlite_database):
    def all_values() -> list[float]:
        rows = [value("fuel_imported_rows_total", outcome=o) for o in ("imported", "duplicates")]
        return [value("fuel_imports_total", outcome="done"), *rows]

    before, undone = all_values(), value("fuel_imports_total", outcome="undone")
    await run(table(*people(3)))
    outcome = await run(table(*people(2)))
    await submissions.undo_import(outcome.id)
    await run_due()
    assert value("fuel_imports_total", outcome="undone") == undone + 1
    assert [after - some for some, after in zip(before, all_values(), strict=True)] == [2, 3, 2]


async def test_provider_requests_are_timed_by_outcome():
    provider = Remote("Watched", busy())
    points = Point(27.3, -82.5), Point(27.4, -82.5)

    await FirstThatAnswers((provider,), QUICK).drive(points)

    watched = {"provider": "Watched", "question": "drive"}
    assert value(QUESTIONS, **watched, outcome="failed") == 1
    assert value(QUESTIONS, **watched, outcome="answered") == 1
