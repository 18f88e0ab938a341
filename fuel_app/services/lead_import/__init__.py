"""Staff bring a file of leads: all of it or nothing, while everybody else goes on."""

from fuel_app.submissions.service.importing import take_back_leftovers, watch
from fuel_app.submissions.service.imports import cancel, first_rejects, history, start, undo

__all__ = ["cancel", "first_rejects", "history", "start", "take_back_leftovers", "undo", "watch"]
