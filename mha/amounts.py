"""Amounts as people read them, to three digits: bytes, counts and seconds.

kB, MB, GB, TB   10^3, 10^6, 10^9, 10^12 bytes, as memories are sold
K and M tokens   2^10 and 2^20, as context lengths are named
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational

GB = 10**9  # bytes

_BYTES = ("bytes", "kB", "MB", "GB", "TB", "PB")
_COUNTS = ("", "thousand", "million", "billion", "trillion", "quadrillion")


def bytes_text(count: int) -> str:
    """`131 kB`, `16 GB`, `1 byte`."""
    return "1 byte" if count == 1 else _scaled(count, _BYTES)


def count_text(count: int) -> str:
    """Up to seven digits as they are, `4,096`; then `335 million`, `1.2 trillion`."""
    return f"{count:,}" if count < 10**7 else _scaled(count, _COUNTS)


def about_text(count: int) -> str:
    """To three digits, where the count rests on a rounded one: `122,000`."""
    return f"{int(float(f'{count:.3g}')):,}"


def seconds_text(seconds: float) -> str:
    """`852 µs`, `4.2 ms`, `1.35 s`."""
    small = seconds < 0.9995  # which three digits would call 1,000 ms
    if not small:
        return f"{seconds:,.3g} s" if seconds < 999.5 else f"{seconds:,.0f} s"
    return _scaled(Fraction(seconds) * 10**6, ("µs", "ms"))


def context_text(tokens: int) -> str:
    """`4,000` as it is, but `4K` for 4,096 and `1M` for 1,048,576."""
    for size, name in ((2**20, "M"), (2**10, "K")):
        if tokens and tokens % size == 0:
            return f"{tokens // size:,}{name}"
    return f"{tokens:,}"


def _scaled(amount: Rational, units: tuple[str, ...]) -> str:
    """The amount in the first of the units, each a thousand of the last, that keeps it short."""
    for unit in units:
        if amount < 1000 - Fraction(1, 2) or unit == units[-1]:
            break
        amount = Fraction(amount) / 1000
    digits = f"{float(amount):.3g}" if amount < 1000 - Fraction(1, 2) else f"{round(amount):,}"
    return f"{digits} {unit}".strip()
