"""Mark the screens whose tab state holds the preview's sample customer."""

import reflex as rx


class PreviewScreen(rx.State, mixin=True):
    """A screen that keeps sample data in its tab: deleting the preview's account resets it."""
