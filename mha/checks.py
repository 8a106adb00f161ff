"""The few checks that the core makes of its callers, and the wording of every error.

A message gives the rule, what was got, and something that works:
`d_model must be divisible by n_heads; got d_model=10, n_heads=3. Try n_heads=2 or 5.`
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from itertools import zip_longest
from numbers import Real
from typing import Any

MOST_TO_DIVIDE = 10**9  # its divisors take 31,623 trials, a few milliseconds


def require_whole_number(name: str, value: Any, *, least: int = 0, most: int | None = None) -> int:
    """Return `value` as an int of at least `least` (and at most `most`), or raise.

    NumPy's integers are welcome; bool, float and text are not, even where they equal a number.

    Raises:
        ValueError: not an integer, below `least`, or above `most`.
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least:
        raise ValueError(
            f"{name} must be a whole number of at least {least}; got {name}={_shown(value)}. "
            f"Try {name}={least}."
        )
    if most is not None and number > most:
        raise ValueError(
            f"{name} must be at most {most}; got {name}={_shown(value)}. Try {name}={most}."
        )
    return number


def require_positive_int(name: str, value: Any, *, most: int | None = None) -> int:
    """Return `value` as an int of at least 1 (and at most `most`), or raise.

    Raises:
        ValueError: not an integer, below 1, or above `most`.
    """
    return require_whole_number(name, value, least=1, most=most)


def require_index(name: str, value: Any, length: int) -> int:
    """Return `value` as a position among `length`, from 0; a negative one counts from no end.

    Raises:
        ValueError: not an integer from 0 to length - 1.
    """
    try:
        return require_whole_number(name, value, most=length - 1)
    except ValueError:
        raise ValueError(
            f"{name} must be a whole number from 0 to {length - 1}; got {name}={_shown(value)}. "
            f"Try {name}={length - 1}."
        ) from None


def require_finite(name: str, value: Any, *, instead: str) -> float:
    """Return `value` as a finite float, or raise; bool and text are no numbers.

    Args:
        instead: what the message tells to try, as in "scale=None for 1/sqrt(d_head)".

    Raises:
        ValueError: not a real number, NaN, or infinite.
    """
    try:
        number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
    except OverflowError:  # a whole number that no float reaches
        number = None
    if number is None or not math.isfinite(number):
        raise ValueError(
            f"{name} must be a finite number; got {name}={_shown(value)}. Try {instead}."
        )
    return number


def divisors(number: int) -> tuple[int, ...]:
    """Every whole number that divides `number`, smallest first.

    Raises:
        ValueError: not a whole number from 1 to a thousand million; more would take too long.
    """
    number = require_positive_int("number", number, most=MOST_TO_DIVIDE)
    small = [d for d in range(1, math.isqrt(number) + 1) if number % d == 0]
    large = [number // d for d in reversed(small) if d * d != number]
    return tuple(small + large)


def nearest_divisors(number: int, wanted: int) -> tuple[int, ...]:
    """The divisors of `number` on either side of `wanted`: one or two of them, or `wanted` itself.

    The first is the nearer; at equal distance the smaller comes first.

    Raises:
        ValueError: as `divisors` does, or `wanted` is not a positive whole number.
    """
    found = divisors(number)
    wanted = require_positive_int("wanted", wanted)
    if wanted in found:
        return (wanted,)
    below = [d for d in found if d < wanted][-1:]
    above = [d for d in found if d > wanted][:1]
    return tuple(sorted(below + above, key=lambda d: (abs(d - wanted), d)))


def require_divisible(total_name: str, total: int, parts_name: str, parts: int) -> None:
    """Raise unless `parts` divides `total`, naming the nearest numbers of parts that do.

    Raises:
        ValueError: `total` is not a multiple of `parts`, or either is no positive whole number.
    """
    total = require_positive_int(total_name, total)
    parts = require_positive_int(parts_name, parts)
    if total % parts:
        nearest = nearest_divisors(total, parts) if total <= MOST_TO_DIVIDE else (1,)
        tries = " or ".join(map(str, sorted(nearest)))
        raise ValueError(
            f"{total_name} must be divisible by {parts_name}; "
            f"got {total_name}={_shown(total)}, {parts_name}={_shown(parts)}. "
            f"Try {parts_name}={tries}."
        )


def require_shape(name: str, array: Any, shape: tuple[int | None, ...]) -> None:
    """Raise unless the array's last axes are `shape`, where None fits any length.

    Axes before them are free, so that one check serves one head and a batch of many.

    Raises:
        ValueError: too few axes, or a length that differs.
    """
    got = tuple(array.shape)
    last = got[len(got) - len(shape) :] if len(got) >= len(shape) else None
    if last is None or any(w is not None and w != g for w, g in zip(shape, last, strict=True)):
        wanted = ", ".join("any" if w is None else str(w) for w in shape)
        raise ValueError(
            f"{name} must have a shape that ends in ({wanted}); got {name}.shape={got}. "
            f"Try an array whose last {len(shape)} axes are these."
        )


def require_axes(name: str, array: Any, axes: tuple[str, ...]) -> tuple[int, ...]:
    """Return the array's shape if it has exactly these axes, or raise.

    Raises:
        ValueError: more or fewer axes.
    """
    shape = tuple(array.shape)
    if len(shape) != len(axes):
        if len(shape) == len(axes) - 1 and axes[0] == "B":
            instead = f"{name}[None] for a batch of one"
        elif len(shape) == len(axes) + 1:
            instead = f"{name}[0] for the first of them"
        else:
            instead = "an array with these axes"
        count = f"{len(axes)} axes" if len(axes) > 1 else "one axis"
        raise ValueError(
            f"{name} must have the {count} ({', '.join(axes)}); got {name}.shape={shape}. "
            f"Try {instead}."
        )
    return shape


def require_broadcast(arrays: Mapping[str, Any]) -> None:
    """Raise unless the axes before the last two broadcast: equal from the right, or 1, or absent.

    Args:
        arrays: by name; each has two axes at least.

    Raises:
        ValueError: two lengths of one leading axis that differ, neither of them 1.
    """
    leads = [tuple(array.shape)[:-2] for array in arrays.values()]
    for lengths in zip_longest(*map(reversed, leads), fillvalue=1):
        if len(set(lengths) - {1}) > 1:
            got = ", ".join(f"{name}.shape={tuple(a.shape)}" for name, a in arrays.items())
            raise ValueError(
                f"the axes before the last two must be equal, or 1, so that they broadcast; "
                f"got {got}. Try the same leading axes for all."
            )


def require_mask(mask: Any, T_q: int, T_k: int) -> None:
    """Raise unless `mask` is a bool mask (..., T_q, T_k) in which every query may look somewhere.

    True means "may look". A row of False has no softmax: it would be 0/0.

    Raises:
        ValueError: not bool, the wrong shape, or a row with nothing to look at (named by number).
    """
    if mask.dtype != bool:
        raise ValueError(
            f"mask must be bool, True where a query may look; got dtype={mask.dtype}. "
            f"Try mask.astype(bool) if 1 means 'may look', or mask == 0 for a mask that is added."
        )
    require_shape("mask", mask, (T_q, T_k))
    sees = mask.any(axis=-1)
    if not sees.all():
        row = int((~sees).nonzero()[-1][0])
        raise ValueError(
            f"every query must be allowed to look at one key at least; got row {row} of the mask "
            f"all False. Try mask[..., {row}, {min(row, T_k - 1)}] = True."
        )


def _shown(value: Any) -> str:
    """The value as a message shows it, however long it is."""
    if isinstance(value, int) and abs(value) >= 10**40:
        return f"a number of {value.bit_length()} bits"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
