"""Words around numbers, and lists in words."""

from collections.abc import Sequence


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Count in words: '1 lead', '1,234 leads'; `nouns` where it takes more than an s."""
    return f"{count:,} {noun if count == 1 else nouns or f'{noun}s'}"


def tenths(milligallons: int) -> str:
    """Return gallons as they are shown, half up: '14.2'."""
    rounded = (milligallons + 50) // 100
    return f"{rounded // 10}.{rounded % 10}"


def and_list(parts: Sequence[str]) -> str:
    """'A', 'A and B', 'A, B and C'."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
