"""A word that was taken apart, to take away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mha.charts import Theme
from mha.charts.anatomy import anatomy_spec, with_hues
from mha.reference import Array
from mha.sentence import Anatomy
from mha.tables import anatomy_table
from pages.parts.export.row import Takeaway

if TYPE_CHECKING:
    from mha.charts.files import Picture


def of_word(anatomy: Anatomy) -> Takeaway:
    """The code points of a word, the bytes of each, and the characters that they make."""

    def script():
        from mha.export.anatomy import word_script

        return word_script(anatomy.word)

    def pictures(_: Theme) -> list[Picture]:
        from mha.charts.files import Picture

        return [Picture(anatomy_spec(), with_hues(anatomy_table(anatomy)))]

    return Takeaway("word", lambda: _table(anatomy), lambda: _arrays(anatomy), script, pictures)


def _table(anatomy: Anatomy) -> pd.DataFrame:
    """One row a code point, in the order in which the word is stored; characters count from 1."""
    return pd.DataFrame(
        [
            {
                "character": number,
                "shown": cluster.text if i == 0 else "",
                "code_point": point.number,
                "name": point.name,
                "bytes": point.utf8.hex(" ").upper(),
                "direction": point.direction,
            }
            for number, cluster in enumerate(anatomy.clusters, start=1)
            for i, point in enumerate(cluster.code_points)
        ]
    )


def _arrays(anatomy: Anatomy) -> dict[str, Array]:
    """The word, its bytes, and of each code point its number and its character, counted from 0."""
    points = [(at, p) for at, c in enumerate(anatomy.clusters) for p in c.code_points]
    return {
        "word": np.array(anatomy.word),
        "code_points": np.array([ord(point.character) for _, point in points]),
        "characters": np.array([at for at, _ in points]),
        "utf8": np.frombuffer(b"".join(point.utf8 for _, point in points), np.uint8),
    }
