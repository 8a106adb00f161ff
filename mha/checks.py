"""The few checks that the core makes of its callers, and the wording of every error.

A message gives the rule, what was got, and something that works:
`d_model must be divisible by n_heads; got d_model=10, n_heads=3. Try n_heads=2 or 5.`
"""

from __future__ import annotations

import operator
from typing import Any


def require_positive_int(name: str, value: Any, *, most: int | None = None) -> int:
    """Return `value` as an int of at least 1 (and at most `most`), or raise.

    NumPy's integers are welcome; bool, float and text are not, even where they equal a number.

    Raises:
        ValueError: not an integer, below 1, or above `most`.
    """
    try:
        number = operator.index(value) if not isinstance(value, bool) else 0
    except TypeError:
        number = 0
    if number < 1:
        raise ValueError(
            f"{name} must be a whole number of at least 1; got {name}={value!r}. Try {name}=1."
        )
    if most is not None and number > most:
        raise ValueError(f"{name} must be at most {most}; got {name}={value!r}. Try {name}={most}.")
    return number


def divisors(number: int) -> tuple[int, ...]:
    """Every whole number that divides `number`, smallest first."""
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    large = [number // d for d in reversed(small) if d * d != number]
    return tuple(small + large)


def nearest_divisors(number: int, wanted: int) -> tuple[int, ...]:
    """The divisors of `number` on either side of `wanted`: one or two of them, or `wanted` itself.

    The first is the nearer; at equal distance the smaller comes first.
    """
    found = divisors(number)
    if wanted in found:
        return (wanted,)
    below = [d for d in found if d < wanted][-1:]
    above = [d for d in found if d > wanted][:1]
    return tuple(sorted(below + above, key=lambda d: (abs(d - wanted), d)))


def require_divisible(total_name: str, total: int, parts_name: str, parts: int) -> None:
    """Raise unless `parts` divides `total`, naming the nearest numbers of parts that do.

    Raises:
        ValueError: `total` is not a multiple of `parts`.
    """
    if total % parts:
        tries = " or ".join(str(d) for d in sorted(nearest_divisors(total, parts)))
        raise ValueError(
            f"{total_name} must be divisible by {parts_name}; "
            f"got {total_name}={total}, {parts_name}={parts}. Try {parts_name}={tries}."
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
