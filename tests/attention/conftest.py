"""Attention with a tab that follows."""

from tests.dispatch.conftest import waiting

__all__ = ("waiting",)
