"""Weekly retail prices as the U.S. Energy Information Administration (EIA) publishes them."""

from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from fuel_app.areas.rules import prices
from fuel_app.kit import clock

SERIES = {  # there is no series of Florida's diesel
    "EMM_EPMR_PTE_SFL_DPG": ("regular", "Florida"),
    "EMM_EPMM_PTE_SFL_DPG": ("plus", "Florida"),
    "EMM_EPMP_PTE_SFL_DPG": ("premium", "Florida"),
    "EMD_EPD2D_PTE_R1Z_DPG": ("diesel", "Lower Atlantic"),
}


FIRST = "regular"  # tells whether a week has been published


UNITS = "$/GAL"


def published_week(now: datetime) -> date:
    """Return the Monday of the newest week, which is published on Tuesday morning."""
    day = clock.day_of(now) - timedelta(days=1)
    return day - timedelta(days=day.weekday())


def read_proposals(answer: object) -> list[prices.Proposal]:
    """Return the prices of an answer; missing, implausible and unknown values are left out.

    Raises:
        ValueError: If it is no answer to the question.
    """
    try:
        rows: Iterable[Any] = answer["response"]["data"]  # type: ignore[index]
        return [found for row in rows if (found := _proposal(row))]
    except (KeyError, TypeError, AttributeError):
        raise ValueError("not an answer of the EIA") from None


def _proposal(row: dict[str, Any]) -> prices.Proposal | None:
    series = SERIES.get(str(row.get("series")))
    if series is None or row.get("units") != UNITS:
        return None
    try:
        week = date.fromisoformat(str(row.get("period")))
        mills = int((1000 * Decimal(str(row.get("value")))).quantize(Decimal(1), ROUND_HALF_UP))
    except (ValueError, ArithmeticError):  # a week without a value
        return None
    if not prices.MILLS_MIN <= mills <= prices.MILLS_MAX:
        return None
    grade, region = series
    return prices.Proposal(grade, week, mills, f"EIA, {region}, week of {clock.short_date(week)}")
