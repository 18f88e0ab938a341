"""The metrics endpoint: access, and labels that attackers cannot multiply."""

import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families

from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.server import metrics
from fuel_app.server.metrics import route_of
from fuel_app.settings import ROOT
from tests.staff import a_token

TOKEN = "a-token-of-twenty-lt"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def token(configure) -> None:
    configure(metrics, metrics_token=TOKEN)


def counted(text: str, name: str, **labels: str) -> float:
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )


@pytest.mark.usefixtures("token")
async def test_the_token_opens_the_metrics(browser):
    response = await browser.get(routes.METRICS, headers=BEARER)
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain; version=")
    assert response.headers["cache-control"] == "no-store"
    assert "# HELP fuel_http_request_seconds " in response.text


@pytest.mark.usefixtures("sqlite_database")
@pytest.mark.parametrize("configured", [TOKEN, None])
@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer None", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer é"]
)
async def test_another_token_does_not_open_the_metrics(browser, configure, configured, given):
    configure(metrics, metrics_token=configured)
    response = await browser.get(routes.METRICS, headers={"authorization": given.encode()})
    assert response.status_code == 401
    assert "fuel_" not in response.text


@pytest.mark.usefixtures("password", "sqlite_database")
async def test_a_staff_cookie_opens_the_metrics(browser):
    browser.cookies.set(COOKIE, await a_token())
    assert (await browser.get(routes.METRICS)).status_code == 200


@pytest.mark.usefixtures("token")
async def test_a_request_is_counted_under_its_route(browser):
    before = (await browser.get(routes.METRICS, headers=BEARER)).text
    await browser.get("/fleet")
    await browser.get("/fleet/?x=1")
    await browser.get("/broken")
    after = (await browser.get(routes.METRICS, headers=BEARER)).text

    def more(**labels: str) -> float:
        name = "fuel_http_request_seconds_count"
        return counted(after, name, **labels) - counted(before, name, **labels)

    assert more(route="/fleet", status="200") == 1
    assert more(route="/fleet", status="301") == 1
    assert more(route="other", status="500") == 1


@pytest.mark.parametrize(
    ("path", "route"),
    [
        ("/fleet/", "/fleet"),
        ("/assets/app-1.js", "files"),
        ("/join-neighborhood/abc", "/join-neighborhood/[neighborhood_id]"),
        ("/join-neighborhood/abc/card.png", "/join-neighborhood/[neighborhood_id]/card.png"),
        ("/neighborhoods/abc/", "/neighborhoods/[neighborhood_id]"),
        ("/join-neighborhood/abc/more/of/it", "other"),
        ("//", "/"),
    ],
)
def test_paths_map_to_few_routes(path, route):
    assert route_of(path) == route


@pytest.mark.slow
def test_metrics_of_workers_are_added_up(tmp_path):
    environment = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "FUEL_DATABASE_URL": "sqlite://"}
    join = "from fuel_app.kit.metrics import JOINS; JOINS.inc()"
    read = (
        "from prometheus_client import generate_latest;"
        "from fuel_app.server.metrics import _registry;"
        "print(generate_latest(_registry()).decode())"
    )
    for code in (join, join, f"{join}; {read}"):
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE
        )
    assert counted(done.stdout.decode(), "fuel_joins_total") == 3
