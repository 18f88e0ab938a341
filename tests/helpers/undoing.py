"""Undoing an action of the audit log."""

from fuel_app.kit import audit


async def undone(action_id: str, actor: object = "alice") -> audit.Done:
    """Undo a whole action. Return the outcome."""
    return [done async for done in audit.undo(action_id, actor=str(actor))][-1]
