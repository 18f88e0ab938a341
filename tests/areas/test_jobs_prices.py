"""The EIA's weekly prices, fetched by a job and proposed."""

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from fuel_app.areas import jobs, providers
from fuel_app.areas.providers import EiaFailed, weekly_prices
from fuel_app.areas.rules.prices import EIA_SERIES
from fuel_app.areas.service import prices
from fuel_app.kit.jobs import GiveUp, Later
from fuel_app.kit.jobs.registry import SCHEDULES
from tests.areas.eia_server import Eia, row
from tests.areas.test_service_prices import ADMIN
from tests.helpers.open_area import open_area

KEY = "very-secret-key"
TUESDAY = datetime(2026, 11, 24, 17, tzinfo=UTC)  # noon in New York
REGULAR, PLUS, *_ = EIA_SERIES

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("sqlite_database")]


@pytest.fixture(autouse=True)
def _with_key(configure, eia: Eia, monkeypatch):
    configure(jobs, eia_api_key=SecretStr(KEY))
    monkeypatch.setattr(providers, "EIA_TIMEOUT_S", 60)
    address = eia.address
    monkeypatch.setattr(providers, "weekly_prices", lambda key: weekly_prices(key, address))


async def proposed() -> dict[str, str]:
    await open_area()
    board = await prices.board(actor=ADMIN)
    assert [each.price for each in board] == [""] * 4
    return {each.grade: each.proposal_source for each in board if each.proposal}


async def test_the_weeks_prices_are_proposed_and_not_applied(eia):
    eia.say(row(REGULAR, "2026-11-23", "2.991"), row(PLUS, "2026-11-16", 3.4))
    await jobs.propose_prices(TUESDAY)
    assert await proposed() == {
        "regular": "EIA, Florida, week of Nov 23, 2026",
        "plus": "EIA, Florida, week of Nov 16, 2026",
    }
    [asked] = eia.asked
    assert asked["api_key"] == [KEY]
    assert asked["facets[series][]"] == list(EIA_SERIES)
    assert (asked["frequency"], asked["data[0]"]) == (["weekly"], ["value"])


async def test_the_job_runs_at_noon_and_retries_until_the_week_is_there(eia):
    assert SCHEDULES["areas.propose_prices"](TUESDAY - timedelta(hours=3)) == TUESDAY
    eia.say(row(REGULAR, "2026-11-16", "3.049"))
    with pytest.raises(Later) as later:
        await jobs.propose_prices(TUESDAY)
    assert later.value.run_at == TUESDAY + timedelta(hours=1)
    eia.say(row(REGULAR, "2026-11-23", "2.991"), row(REGULAR, "2026-11-16", "3.049"))
    await jobs.propose_prices(TUESDAY + timedelta(hours=1))
    assert await proposed() == {"regular": "EIA, Florida, week of Nov 23, 2026"}
    await jobs.propose_prices(TUESDAY + timedelta(days=1))
    assert len(eia.asked) == 2  # the week is there


async def test_without_a_key_nobody_is_asked_and_a_refused_one_is_not_tried_again(configure, eia):
    eia.say(status=403)
    with pytest.raises(GiveUp, match=r"^the EIA refuses FUEL_EIA_API_KEY \(HTTP 403\)$"):
        await jobs.propose_prices(TUESDAY)
    configure(jobs, eia_api_key=None)
    await jobs.propose_prices(TUESDAY)
    assert len(eia.asked) == 1


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (302, None, "HTTP 302"),
        (500, None, "HTTP 500"),
        (200, b"<html>", "JSONDecodeError"),
        (200, b'{"error": "x"}', "ValueError"),
        (0, None, "ConnectError"),
    ],
)
async def test_an_error_never_holds_the_key(eia, monkeypatch, status, body, text):
    eia.say(status=status)
    eia.body = body or eia.body
    if not status:
        nobody = "http://127.0.0.1:9/"
        monkeypatch.setattr(providers, "weekly_prices", lambda key: weekly_prices(key, nobody))
    with pytest.raises(EiaFailed) as error:
        await jobs.propose_prices(TUESDAY)
    assert str(error.value) == text
    assert error.value.__context__ is error.value.__cause__ is None  # whose text holds the key
