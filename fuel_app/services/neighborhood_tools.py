"""Staff rename a group, merge two, hand the pioneer's role over; and take each back."""

from fuel_app.db import neighborhood_changes, neighborhood_merges
from fuel_app.domain.neighborhood_changes import GroupChange
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NeighborhoodGone, NothingToUndo
from fuel_app.kit.signals import MEMBERS, signals
from fuel_app.waitlist.rules import well_formed_id


async def rename(neighborhood_id: object, name: str, *, by: str) -> GroupChange | None:
    """Give a group another name; None if it has that name already.

    Args:
        name: Cleaned by `clean_name`.
        by: The staff session.

    Raises:
        NeighborhoodGone: If there is no such group (any more).
        NeighborhoodNameTaken: If the ZIP has another group of that name.
    """
    group_id = _group_id(neighborhood_id)
    async with transaction() as session:
        await neighborhood_changes.alone(session)
        (group,) = await neighborhood_changes.held(session, group_id)
        if group.name == name:
            return None
        change = await neighborhood_changes.rename(session, group, name, by)
    await signals().publish(MEMBERS)
    return change


async def merge(survivor: object, gone: object, *, by: str) -> GroupChange:
    """Make one group part of another of its ZIP. Its members move, its join link leads there.

    Raises:
        NeighborhoodGone: If one of them is not there (any more).
        OtherZip: If they are not of one ZIP.
    """
    survivor_id, gone_id = _group_id(survivor), _group_id(gone)
    async with transaction() as session:
        await neighborhood_changes.alone(session)
        change = await neighborhood_merges.merge(session, survivor_id, gone_id, by)
    await signals().publish(MEMBERS)
    return change


async def hand_over(neighborhood_id: object, email: str, *, by: str) -> GroupChange:
    """Make a member the group's pioneer.

    Args:
        email: Cleaned by `contact.email`.

    Raises:
        NeighborhoodGone: If there is no such group (any more).
        NotAMember: If none of its members has this address (any more).
    """
    group_id = _group_id(neighborhood_id)
    async with transaction() as session:
        await neighborhood_changes.alone(session)
        member = await neighborhood_changes.member(session, group_id, email)
        (group,) = await neighborhood_changes.held(session, group_id)
        change = await neighborhood_changes.hand_over(session, group, member, by)
    await signals().publish(MEMBERS)
    return change


async def undo(change_id: object) -> GroupChange:
    """Take a change back as a whole; returns it.

    Raises:
        NothingToUndo: If it is undone already, or there is no such change.
        ChangedSince: If something was done after it that the undo would throw away.
        NeighborhoodGone: If the group is not there any more.
        NeighborhoodNameTaken: If the former name is another group's by now.
    """
    known_id = well_formed_id(change_id)
    if known_id is None:
        raise NothingToUndo
    async with transaction() as session:
        await neighborhood_changes.alone(session)
        change = await neighborhood_changes.claim_undo(session, known_id)
        await _UNDO[change.kind](session, change)
    await signals().publish(MEMBERS)
    return change


_UNDO = {
    "rename": neighborhood_changes.undo_rename,
    "merge": neighborhood_merges.unmerge,
    "pioneer": neighborhood_changes.undo_hand_over,
}


def _group_id(value: object) -> str:
    known_id = well_formed_id(value)
    if known_id is None:
        raise NeighborhoodGone
    return known_id
