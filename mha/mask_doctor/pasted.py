"""A mask as it was written: its kind and its numbers.

(T_q, T_k)           for every head of every sequence
(n, T_q, T_k)        n matrices: a function says what they are for
(B, h, T_q, T_k)     one for each head of each sequence
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from mha.checks import require_index, require_shape

Kind = Literal["True and False", "0 and 1", "0 and -inf"]
KINDS: tuple[Kind, ...] = get_args(Kind)
BOOL, NUMBERS, ADDED = KINDS
Place = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class PastedMask:
    """A mask as it was written.

    kind: how it was written. All zeros are of the kind "0 and 1".
    values: float64, of 2, 3 or 4 axes that end in (T_q, T_k); 1 for 1 and True, 0 for 0 and False,
        or -inf.
    """

    kind: Kind
    values: np.ndarray

    @property
    def places(self) -> tuple[Place, ...]:
        """Where each matrix (T_q, T_k) stands on the axes before it, in order."""
        return tuple(np.ndindex(*self.values.shape[:-2]))

    @property
    def names(self) -> tuple[str, str]:
        """What is written for 0, and for what is not 0."""
        return {BOOL: ("False", "True"), NUMBERS: ("0", "1"), ADDED: ("0", "-inf")}[self.kind]

    @property
    def text(self) -> str:
        """It as `read_mask` reads it: a row a line, with brackets where it has more axes."""
        return _written(self.values, self.names)

    def at(self, place: Place) -> np.ndarray:
        """The matrix (T_q, T_k) at one of its places.

        Raises:
            ValueError: a place that is not there.
        """
        self._require_place(place)
        return self.values[place]

    def drawn(self, place: Place, is_on: np.ndarray) -> PastedMask:
        """The same mask with another matrix at one of its places.

        Args:
            is_on: bool (T_q, T_k), False for 0, True for what is not 0 in a mask of this kind.

        Raises:
            ValueError: a place that is not there, or another shape.
        """
        self._require_place(place)
        require_shape("is_on", is_on, self.values.shape[-2:])
        values = self.values.copy()
        values[place] = np.where(is_on, -np.inf if self.kind == ADDED else 1.0, 0.0)
        return PastedMask(self.kind, values)

    def _require_place(self, place: Place) -> None:
        lengths = self.values.shape[:-2]
        if len(place) != len(lengths):
            raise ValueError(
                f"place must have one number for each axis before the last two, {len(lengths)}; "
                f"got {place=}. Try place={self.places[0]}."
            )
        for i, (index, length) in enumerate(zip(place, lengths, strict=True)):
            require_index(f"place[{i}]", index, length)


def _written(values: np.ndarray, names: Sequence[str]) -> str:
    if values.ndim == 2:
        return "\n".join(_row(row, names) for row in values)
    return _in_brackets(values, names)


def _in_brackets(values: np.ndarray, names: Sequence[str]) -> str:
    if values.ndim == 1:
        return f"[{_row(values, names)}]"
    return f"[{chr(10).join(_in_brackets(part, names) for part in values)}]"


def _row(row: np.ndarray, names: Sequence[str]) -> str:
    return " ".join(names[int(value != 0)] for value in row)
