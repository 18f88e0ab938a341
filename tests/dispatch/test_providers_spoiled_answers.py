"""Property tests: a corrupted answer of a provider is a valid result or a refusal."""

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

from fuel_app.areas.rules.places import Point, parse_position
from fuel_app.dispatch.providers.routing import NEAR_M, Unavailable
from fuel_app.kit.errors import RouteFailed
from tests.dispatch.remote_maps import MAKERS
from tests.hardening.nasty import NASTY
from tests.helpers.maps_server import Maps, truth

POINTS = [Point(27.30 + 0.01 * number, -82.5) for number in range(4)]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NONSENSE = st.sampled_from(list(NASTY.values())) | SCALARS | st.lists(SCALARS, max_size=3)
per_provider = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def spoiled(data: st.DataObject, answer: Any) -> Any:
    """Return the answer with one part replaced or missing."""
    inside: list[Any] = []
    if isinstance(answer, dict | list):
        inside = list(answer if isinstance(answer, dict) else range(len(answer)))
    if not inside or not data.draw(st.integers(0, 5)):
        return data.draw(NONSENSE)
    at = data.draw(st.sampled_from(inside))
    changed = answer.copy()
    if data.draw(st.integers(0, 3)):
        changed[at] = spoiled(data, answer[at])
    else:
        del changed[at]
    return changed


@pytest.fixture(params=MAKERS)
def ask(request: pytest.FixtureRequest) -> Callable[[str, st.DataObject], Any]:
    """Asks one provider for a drive or a matrix, and spoils its answer."""
    provider = MAKERS[request.param](Maps("http://maps.test"))
    examples: list[st.DataObject] = []

    def answer(request: httpx.Request) -> httpx.Response:
        question = (
            json.loads(request.content)
            if request.content
            else {key: [value] for key, value in request.url.params.items()}
        )
        said = spoiled(examples[-1], truth(request.url.path, question))
        return httpx.Response(200, content=json.dumps(said).encode())

    provider._client = httpx.AsyncClient(
        transport=httpx.MockTransport(answer), base_url=provider._client.base_url
    )

    def ask(method: str, data: st.DataObject) -> Any:
        examples.append(data)
        try:
            return asyncio.run(getattr(provider, method)(POINTS, NEAR_M))
        except (Unavailable, RouteFailed) as refusal:
            return refusal

    return ask


@per_provider
@given(data=st.data())
def test_spoiled_drive_is_on_earth_or_refused(ask, data):
    drive = ask("drive", data)
    if isinstance(drive, Exception):
        assert len(str(drive)) < 100
        return
    assert len(drive.legs) == len(POINTS) - 1
    assert all(0 <= leg.seconds < 10**9 for leg in drive.legs)
    assert all(parse_position(lat, lng) for lat, lng in drive.line)


@per_provider
@given(data=st.data())
def test_spoiled_matrix_holds_seconds_or_is_refused(ask, data):
    matrix = ask("matrix", data)
    if isinstance(matrix, Exception):
        assert len(str(matrix)) < 100
        return
    assert [len(row) for row in matrix] == [len(POINTS)] * len(POINTS)
    assert not any(isnan(cell) or cell < 0 for cell in chain.from_iterable(matrix))
