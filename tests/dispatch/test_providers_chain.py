"""Asking providers in turn: patience with what may pass, rest for what lasts, a memory, an end."""

import asyncio

import pytest

from fuel_app.dispatch.providers.base import Unavailable
from fuel_app.dispatch.providers.chain import FirstThatAnswers, Patience
from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.problem import Matrix
from fuel_app.dispatch.rules.route import Drive, Leg
from fuel_app.kit.errors import RouteFailed
from tests.helpers.maps_server import UNREACHABLE, Maps
from tests.helpers.remote_maps import google_directions, google_routes, osrm

A, B, C = (Point(27.3 + 0.01 * number, -82.5) for number in range(3))
QUICK = Patience(first_pause_s=0.001, rest_s=60)


class Remote:
    """A provider that fails as often as it is told, and then answers."""

    def __init__(self, name: str = "Remote", *failures: Exception) -> None:
        self.name = name
        self.matrix_points = 2
        self.failures = list(failures)
        self.asked = 0

    async def drive(self, points) -> Drive:
        self._fail()
        legs = tuple(Leg.lasting(60, 900) for _ in points[1:])
        return Drive(legs, tuple(points), self.name)

    async def matrix(self, points) -> Matrix:
        self._fail()
        return ((0, 1), (1, 0))

    async def shortest(self, points) -> Drive | None:
        self._fail()
        return None

    def _fail(self) -> None:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)


def first_of(*providers, patience: Patience = QUICK) -> FirstThatAnswers:
    return FirstThatAnswers(providers, OfflineRouting(), patience)


def busy() -> Unavailable:
    return Unavailable("OVER_QUERY_LIMIT", passing=True)


def denied() -> Unavailable:
    return Unavailable("REQUEST_DENIED", passing=False)


async def test_a_passing_trouble_is_outwaited():
    remote = Remote("Remote", busy(), busy())
    assert (await first_of(remote).drive([A, B])).provider == "Remote"
    assert remote.asked == 3


async def test_the_pauses_grow(monkeypatch):
    pauses = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    patience = Patience(attempts=5, first_pause_s=0.2)
    with monkeypatch.context() as patched:
        patched.setattr(asyncio, "sleep", pause)
        await first_of(Remote("Remote", *(busy() for _ in range(4))), patience=patience).drive(
            [A, B]
        )
    assert len(pauses) == 4
    for pause_s, least in zip(pauses, (0.2, 0.4, 0.8, 1.6), strict=True):
        assert least <= pause_s <= least + 0.2


async def test_what_will_not_pass_is_not_tried_again_and_the_next_one_answers(logged):
    wrong_key, other = Remote("One", denied()), Remote("Two")
    assert (await first_of(wrong_key, other).drive([A, B])).provider == "Two"
    assert wrong_key.asked == 1
    assert (logged[0]["provider"], logged[0]["status"]) == ("One", "REQUEST_DENIED")


async def test_with_nobody_left_the_estimate_answers_and_says_so():
    remote = Remote("Remote", *(denied() for _ in range(2)))
    alone = first_of(remote)
    drive = await alone.drive([A, B])
    assert (drive.provider, drive.estimated) == ("Offline estimate", True)
    assert await alone.matrix([A, B]) == await OfflineRouting().matrix([A, B])
    assert await first_of().shortest([A, B, C]) is None


async def test_an_estimate_is_not_remembered_longer_than_the_trouble():
    remote = Remote("Remote", denied())
    providers = first_of(remote)
    assert (await providers.drive([A, B])).estimated
    assert not (await providers.drive([A, B])).estimated


async def test_who_fails_again_and_again_is_left_alone_for_a_while():
    remote = Remote("Remote", *(denied() for _ in range(3)))
    providers = first_of(remote)
    for _ in range(6):
        assert (await providers.drive([A, B])).estimated
    assert remote.asked == 3


async def test_after_its_rest_it_is_asked_again():
    patience = Patience(failures=1, rest_s=1e-9, first_pause_s=0.001)
    remote = Remote("Remote", denied())
    providers = first_of(remote, patience=patience)
    assert (await providers.drive([A, B])).estimated
    assert not (await providers.drive([A, B])).estimated


async def test_no_route_is_an_answer_so_nobody_else_is_asked_and_nobody_rests():
    sure, other = Remote("Sure", *(RouteFailed("ZERO_RESULTS") for _ in range(5))), Remote("Other")
    providers = first_of(sure, other)
    for _ in range(5):
        with pytest.raises(RouteFailed, match="ZERO_RESULTS"):
            await providers.drive([A, B])
    assert other.asked == 0
    assert (await providers.drive([A, B])).provider == "Sure"


async def test_who_takes_too_long_in_all_is_given_up():
    class Asleep(Remote):
        async def drive(self, points):
            await asyncio.sleep(60)
            raise AssertionError

    patience = Patience(whole_s=0.01)
    assert (await first_of(Asleep(), Remote("Next"), patience=patience).drive([A, B])).provider == (
        "Next"
    )


async def test_the_same_question_is_asked_once_and_another_one_again():
    remote = Remote()
    providers = first_of(remote)
    assert await providers.drive([A, B]) is await providers.drive([A, B])
    assert remote.asked == 1
    await providers.matrix([A, B])
    await providers.drive([B, A])
    assert remote.asked == 3


async def test_a_matrix_that_is_too_large_for_one_is_asked_of_the_next():
    small, large = Remote("Small"), Remote("Large")
    large.matrix_points = 9
    await first_of(small, large).matrix([A, B, C])
    assert (small.asked, large.asked) == (0, 1)


async def test_one_point_is_no_question():
    remote = Remote()
    providers = first_of(remote)
    assert await providers.matrix([A]) == ((0,),)
    assert (await providers.drive([A])).legs == ()
    assert remote.asked == 0


async def test_the_older_api_stands_in_where_a_key_has_no_newer_one(maps: Maps):
    denied = {"error": {"status": "PERMISSION_DENIED"}}

    class NoRoutesApi:
        """Only the newer API refuses."""

        def __init__(self) -> None:
            self.refusing = google_routes(maps)
            self.name, self.matrix_points = "Google Maps", 25

        async def drive(self, points):
            maps.say(denied, status=403)
            try:
                return await self.refusing.drive(points)
            finally:
                maps.next.clear()

        matrix = shortest = drive

    providers = first_of(NoRoutesApi(), google_directions(maps))
    drive = await providers.drive([A, B])
    assert (drive.provider, drive.estimated) == ("Google Maps", False)
    assert [asked["path"].split("/")[1] for asked in maps.asked] == ["directions", "maps"]


async def test_a_route_that_only_the_map_knows_to_be_impossible_is_refused(maps: Maps):
    with pytest.raises(RouteFailed, match="NoRoute"):
        await first_of(osrm(maps)).drive([A, UNREACHABLE])
