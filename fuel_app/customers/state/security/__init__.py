"""Privacy & Security of a signed-in person; the preview's is in `state/account.py`."""
