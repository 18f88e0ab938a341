from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.forecasts.rules.forecasts import Forecast, Learning, Refill, forecast

START = datetime(2026, 9, 1, 15, tzinfo=UTC)
DAY = timedelta(days=1)
TANK = 15.0


def refills(*rows: tuple[float, float | None]) -> list[Refill]:
    """Return refills from (days, gallons); None was elsewhere."""
    return [
        Refill(START + days * DAY, None if gallons is None else round(1000 * gallons))
        for days, gallons in rows
    ]


def known(*rows: tuple[float, float | None], tank: float = TANK, plan_id: str = "") -> Forecast:
    found = forecast(refills(*rows), tank_gallons=tank, plan_id=plan_id)
    assert isinstance(found, Forecast)
    return found


def days_of(found: Forecast) -> float:
    return (found.due - found.since) / DAY


STEADY = [(7.0 * week, 10.5) for week in range(30)]  # 1.5 gallons a day


def test_steady_car_is_due_when_70_percent_of_its_tank_is_used():
    found = known(*STEADY)
    assert found.gallons_a_day == pytest.approx(1.5, rel=0.02)
    assert days_of(found) == pytest.approx(7, rel=0.02)
    assert found.since == START + 29 * 7 * DAY


@pytest.mark.parametrize(
    ("rows", "fills"),
    [
        ([], 0),
        ([(0, 10), (7, 10)], 2),
        ([(0, 10), (3, None), (5, None), (7, 10)], 2),
        ([(0, 10), (3, 0), (7, 10)], 2),
    ],
)
def test_below_three_fills_it_says_how_many_are_known(rows, fills):
    assert forecast(refills(*rows), tank_gallons=TANK) == Learning(fills)
    assert Learning(fills).text(START) == f"We learn from 3 fills when it is due: {fills} so far"


def test_first_fill_says_nothing_of_the_pace():
    assert days_of(known((0, 2), *STEADY[1:6])) == days_of(known((0, 14), *STEADY[1:6]))


def test_fill_elsewhere_fills_the_tank_and_begins_a_new_interval():
    told = known(*STEADY[:6], (40, None))
    assert told.since == START + 40 * DAY
    assert told.gallons_a_day == known(*STEADY[:6]).gallons_a_day
    # Ten days later the fill has what five days have used.
    assert known(*STEADY[:6], (40, None), (45, 7.5)).gallons_a_day == pytest.approx(1.5, rel=0.05)


def test_newer_fills_weigh_more():
    def pace(*gallons: float) -> float:
        weeks = [each for some in gallons for each in [some] * 10]
        return known(*[(7.0 * week, some) for week, some in enumerate(weeks)]).gallons_a_day

    assert pace(9, 12) > pace(12, 9)


def test_one_extreme_interval_moves_the_forecast_little():
    before, after = known(*STEADY), known(*STEADY, (29 * 7 + 40, 3))  # away, filled elsewhere
    assert days_of(after) == pytest.approx(days_of(before), rel=0.06)
    assert after.latest - after.earliest > before.latest - before.earliest


def test_two_fills_within_minutes_are_no_pace_of_hundreds_of_gallons():
    assert known((0, 10), (7, 10), (7.001, 1), (14, 10)).gallons_a_day < 3


def test_gallons_beyond_the_tank_count_as_a_tank():
    assert known((0, 10), (7, 10), (14, 40)) == known((0, 10), (7, 10), (14, TANK))


def test_prior_knows_the_class_of_the_car_and_the_plan():
    def pace(tank: float, plan_id: str = "solo") -> float:
        return known((0, 10), (7, 10), (14, 10), tank=tank, plan_id=plan_id).gallons_a_day

    assert pace(12) < pace(16) < pace(24)
    assert pace(16, "") < pace(16) == pace(16, "family") < pace(16, "big-family")


rows_of_a_car = st.lists(
    st.tuples(st.floats(0.001, 60), st.one_of(st.none(), st.floats(0.5, 60))), min_size=1
)


@given(rows_of_a_car, st.floats(1, 200), st.sampled_from(["", "solo", "family", "big-family"]))
def test_any_history_gives_a_span_around_a_day_after_the_last_refill(steps, tank, plan_id):
    at, rows = 0.0, []
    for days, gallons in steps:
        at += days
        rows.append((at, gallons))
    found = forecast(refills(*rows), tank_gallons=tank, plan_id=plan_id)
    fills = sum(gallons is not None for _, gallons in rows)
    if fills < 3:
        assert found == Learning(fills)
        return
    assert isinstance(found, Forecast)
    assert found.since < found.earliest < found.due < found.latest


@given(st.floats(0.5, 3), st.integers(3, 12))
def test_the_whole_moves_with_its_dates(shift, count):
    plain = known(*STEADY[:count])
    later = known(*[(day + shift, gallons) for day, gallons in STEADY[:count]])
    assert abs((later.due - plain.due) / DAY - shift) < 1e-6


def a_forecast(earliest: datetime, due: datetime, latest: datetime) -> Forecast:
    return Forecast(START, 1.5, due, earliest, latest)


NOV_30, DEC_3, DEC_6 = (
    datetime(2026, *day, 17, tzinfo=UTC) for day in ((11, 30), (12, 3), (12, 6))
)


def test_due_day_and_span_in_words():
    found = a_forecast(NOV_30, DEC_3, DEC_6)
    assert found.text(DEC_6) == "Due around Thu, Dec 3"
    assert found.span == "Between Nov 30 and Dec 6"
    assert found.text(DEC_6 + DAY) == "Was due around Thu, Dec 3. Filled elsewhere?"
    assert a_forecast(DEC_3, DEC_3, DEC_3).span == ""


def test_car_is_near_its_day_on_the_days_of_its_span():
    found = a_forecast(NOV_30, DEC_3, DEC_6)
    near = [found.is_near(NOV_30 + days * DAY) for days in (-1, 0, 6, 7)]
    assert near == [False, True, True, False]
