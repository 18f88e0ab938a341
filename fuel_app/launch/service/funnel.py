"""The funnel of invitations, per area, neighborhood and wave day.

pandas takes half a second and 60 MB to import, so that it is imported when the funnel is asked for.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit.clock import short_date
from fuel_app.kit.db.session import reading
from fuel_app.launch.queries import funnel as queries
from fuel_app.launch.queries.funnel import Row
from fuel_app.launch.rules.funnel import DAYS_SHOWN, NEIGHBORHOODS_SHOWN, Funnel, FunnelLine

_COUNTS, _RATES = ["invited", "signed_up", "filled"], ["signed_up_rate", "filled_rate"]


async def read(*, actor: Actor) -> Funnel:
    """Return the whole funnel; the event loop goes on meanwhile."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        waves = await queries.invited_by_wave(session), await queries.became_by_wave(session)
        groups = (
            await queries.invited_by_neighborhood(session),
            await queries.became_by_neighborhood(session),
        )
        names = await queries.names(session)
    return await asyncio.to_thread(_computed, waves, groups, *names)


def _computed(
    waves: tuple[list[Row], list[Row]],
    groups: tuple[list[Row], list[Row]],
    area_names: Mapping[str, str],
    group_names: Mapping[str, str],
) -> Funnel:
    by_wave = _joined(["area", "day"], *waves)
    by_group = _joined(["group"], *groups)
    by_area = by_wave.groupby("area")[_COUNTS].sum().sort_values("invited", ascending=False)
    by_day = by_wave.groupby("day")[_COUNTS].sum().sort_index(ascending=False)
    ranked = by_group.set_index("group").sort_values(["invited", "filled"], ascending=False)
    return Funnel(
        _lines(by_area, [area_names[each] for each in by_area.index]),
        _lines(by_day.head(DAYS_SHOWN), [short_date(each) for each in by_day.index]),
        _lines(ranked.head(NEIGHBORHOODS_SHOWN), [group_names[each] for each in ranked.index]),
    )


def _joined(by: list[str], invited: Sequence[Row], became: Sequence[Row]) -> Any:
    """Return the invited beside what became of them; nobody is 0."""
    import pandas as pd

    every = pd.DataFrame(invited, columns=[*by, "invited"])
    some = pd.DataFrame(became, columns=[*by, "signed_up", "filled"])
    return every.merge(some, on=by, how="left").fillna(0).astype(dict.fromkeys(_COUNTS, int))


def _lines(frame: Any, names: Sequence[str]) -> tuple[FunnelLine, ...]:
    """Return a line for each row, with its rates in whole percents."""
    invited = frame["invited"]
    halves = frame[["signed_up", "filled"]].mul(200).add(invited, axis=0)
    rates = halves.floordiv(2 * invited, axis=0)  # half up
    whole = frame.join(rates.rename(columns="{}_rate".format))
    rows = whole[[*_COUNTS, *_RATES]].itertuples(index=False)
    return tuple(FunnelLine(name, *map(int, row)) for name, row in zip(names, rows, strict=False))
