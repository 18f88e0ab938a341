"""Who is asked for routes, by the settings."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from fuel_app.dispatch.providers import choice as routing
from fuel_app.dispatch.providers.chain import FirstThatAnswers


@pytest.fixture(autouse=True)
def _own_provider() -> Iterator[None]:
    routing.routing.cache_clear()
    yield
    routing.routing.cache_clear()


@pytest.mark.parametrize(
    ("key", "osrm", "names"),
    [
        (None, None, []),
        ("nonsense", None, []),
        ("AIza-x", None, ["Google Maps", "Google Maps"]),
        (None, "http://localhost:5000", ["OSRM"]),
        ("AIza-x", "http://localhost:5000", ["Google Maps", "Google Maps", "OSRM"]),
    ],
)
def test_the_settings_decide_who_is_asked(monkeypatch, key, osrm, names):
    chosen = {"google_maps_api_key": SecretStr(key) if key else None, "osrm_url": osrm}
    monkeypatch.setattr(routing, "settings", routing.settings.model_copy(update=chosen))
    provider = routing.routing()
    assert isinstance(provider, FirstThatAnswers)
    assert [careful.provider.name for careful in provider._careful] == names
