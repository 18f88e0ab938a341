"""Corrupted answers of providers end as a valid drive or a refusal."""

import asyncio
import json
from collections.abc import Callable
from itertools import chain
from math import isnan
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuel_app.dispatch.providers.base import RemoteRouting, Unavailable
from fuel_app.dispatch.providers.google import GoogleRoutes
from fuel_app.dispatch.providers.osrm import OsrmRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.kit.errors import RouteFailed
from tests.hardening.nasty import NASTY
from tests.helpers.maps_server import truth

POINTS = [Point(27.30 + 0.01 * number, -82.5) for number in range(4)]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NONSENSE = st.sampled_from(list(NASTY.values())) | SCALARS | st.lists(SCALARS, max_size=3)
NO_ANSWERS = [b"", b"[" * 100_000, b"\xff\xfe", b"9" * 5_000, b'{"code":', b"NaN", b'{"routes":{}}']

Spoil = Callable[[Any], Any]


def spoiled(data: st.DataObject, answer: Any) -> Any:
    """The answer with some part of it replaced or missing."""
    inside = answer if isinstance(answer, dict) else range(len(answer)) if _is_list(answer) else ()
    if not inside or not data.draw(st.integers(0, 5)):
        return data.draw(NONSENSE)
    at = data.draw(st.sampled_from(list(inside)))
    changed = answer.copy()
    if data.draw(st.integers(0, 3)):
        changed[at] = spoiled(data, answer[at])
    else:
        del changed[at]
    return changed


def _is_list(answer: Any) -> bool:
    return isinstance(answer, list)


def over_http(provider: Any, spoil: Spoil) -> RemoteRouting:
    """The provider, its answers spoiled on their way; `spoil` may make bytes of one."""

    def answer(request: httpx.Request) -> httpx.Response:
        question = json.loads(request.content) if request.content else dict(request.url.params)
        asked = {
            key: [value] if isinstance(value, str) else value for key, value in question.items()
        }
        said = spoil(truth(request.url.path, asked))
        body = said if isinstance(said, bytes) else json.dumps(said).encode()
        return httpx.Response(200, content=body)

    provider._client = httpx.AsyncClient(
        transport=httpx.MockTransport(answer), base_url=provider._client.base_url
    )
    return provider


def osrm(spoil: Spoil) -> RemoteRouting:
    return over_http(OsrmRouting("http://osrm.test"), spoil)


def google(spoil: Spoil) -> RemoteRouting:
    places = {"drive": "http://g.test/directions/v2", "matrix": "http://g.test/distanceMatrix/v2"}
    return over_http(GoogleRoutes("key", **places), spoil)


MAKERS = (osrm, google)


@pytest.fixture(params=MAKERS, ids=lambda make: make.__name__)
def asking(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Asks the provider, one and the same for all examples, for something of the points."""
    spoils: list[Spoil] = []
    provider = request.param(lambda answer: spoils[-1](answer))

    def ask(what: str, spoil: Spoil) -> Any:
        spoils.append(spoil)
        try:
            return asyncio.run(getattr(provider, what)(POINTS))
        except (Unavailable, RouteFailed) as refusal:
            return refusal

    return ask


each_way = given(data=st.data())
several = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])


@several
@each_way
def test_a_spoiled_answer_is_a_drive_on_earth_or_none(asking, data):
    drive = asking("drive", lambda answer: spoiled(data, answer))
    if isinstance(drive, Exception):
        assert len(str(drive)) < 100
        return
    assert len(drive.legs) == len(POINTS) - 1
    for leg in drive.legs:
        assert 0 <= leg.seconds < 10**9
        assert 0 <= leg.meters < 10**9
    for lat, lng in drive.line:
        assert isinstance(lat, float)
        assert isinstance(lng, float)
        assert abs(lat) <= 90
        assert abs(lng) <= 180


@several
@each_way
def test_a_spoiled_matrix_holds_seconds_or_is_none(asking, data):
    matrix = asking("matrix", lambda answer: spoiled(data, answer))
    if isinstance(matrix, Exception):
        assert len(str(matrix)) < 100
        return
    assert [len(row) for row in matrix] == [len(POINTS)] * len(POINTS)
    assert not any(isnan(cell) or cell < 0 for cell in chain.from_iterable(matrix))


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_no_answer_is_none(make):
    for answer in NO_ANSWERS:
        for what in ("drive", "matrix"):
            with pytest.raises(Unavailable):
                asyncio.run(getattr(make(lambda _, said=answer: said), what)(POINTS))
