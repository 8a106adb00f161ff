"""Charts for a projector: no small type, no numbers squeezed in, no more height than there is."""

from __future__ import annotations

import copy
import re
from functools import cache
from xml.etree import ElementTree

import pytest

from mha.charts import lines_spec, matrix_spec, weights_spec, with_ink
from mha.charts.cache import cache_spec, decode_spec
from mha.charts.files import svg
from mha.charts.ledger import changes_spec, parameters_spec
from mha.charts.projector import LEAST, for_projector
from mha.charts.readers import kv_readers_spec
from mha.charts.stills import stage_spec
from mha.charts.thumbnails import thumbnail_spec
from mha.charts.training import knock_out_spec, losses_spec, scores_spec
from mha.hand_built import GALLERY, features
from mha.sentence import Sentence
from mha.tables import weights_table

SPECS = {
    "weights": weights_spec(6, "light"),
    "lines": lines_spec(6, "#0072B2"),
    "matrix": matrix_spec(6, 32, "dark"),
    "cache": cache_spec("light"),
    "decode": decode_spec("light"),
    "parameters": parameters_spec(),
    "changes": changes_spec(),
    "readers": kv_readers_spec(),
    "stage": stage_spec(6, 32, 3),
    "thumbnail": thumbnail_spec(),
    "losses": losses_spec("light", 10),
    "scores": scores_spec("light", 10, 9),
    "knock out": knock_out_spec("light", 3),
}
LEGEND = ("weight", "0", "0.5", "1")
each_spec = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS.keys())


@cache
def drawn(T: int, width: int) -> list[tuple[str, float]]:
    """Each text that can be seen on a picture of T words' weights, and the size of its type.

    Without the legend's, which has the type of the page.
    """
    sentence = Sentence.parse(" ".join(f"w{i}" for i in range(T)))
    trace = GALLERY["same category"](sentence).attend(features(sentence))
    table = with_ink(weights_table(trace, sentence, query=0, key=0), "weight", "light")
    spec = for_projector(weights_spec(T, "light"))
    found = []
    for text in ElementTree.fromstring(svg(spec, table.assign(stamp=0), width=width)).iter():
        if text.tag.endswith("}text") and text.text and float(text.get("opacity", 1)) > 0:
            found.append((text.text, float(re.sub("px", "", text.get("font-size")))))
    return [(text, size) for text, size in found if size > 0 and text not in LEGEND]


@each_spec
def test_a_spec_stays_as_it_was_and_keeps_its_marks(spec):
    before = copy.deepcopy(spec)
    presented = for_projector(spec, at_most=1)
    assert spec == before
    kinds = [layer["mark"]["type"] for layer in spec["layer"]]
    assert [layer["mark"]["type"] for layer in presented["layer"]] == kinds


@each_spec
def test_no_text_is_smaller_than_the_least(spec):
    sizes = [
        layer["mark"]["fontSize"]
        for layer in for_projector(spec)["layer"]
        if layer["mark"]["type"] == "text"
    ]
    for size in sizes:
        if isinstance(size, dict):  # the last of it is what is drawn, where anything is
            drawn_at = re.search(rf"max\(({LEAST}), .*\)$|: (\d+)$", size["expr"])
            size = max(int(one) for one in drawn_at.groups() if one)
        assert size >= LEAST


@each_spec
def test_it_is_as_high_as_it_was_or_as_its_room(spec):
    assert for_projector(spec)["height"] == spec["height"]
    assert for_projector(spec, at_most=20)["height"] == 20
    assert for_projector(spec, at_most=5000)["height"] == spec["height"]


@pytest.mark.parametrize(("T", "width"), [(6, 600), (6, 250), (32, 420)])
def test_what_is_drawn_is_large_or_is_not_there(T, width):
    assert min(size for _, size in drawn(T, width)) >= LEAST


def test_numbers_go_where_they_have_no_room_and_words_stay():
    words = {f"w{i}" for i in range(6)}
    roomy, narrow = drawn(6, 600), drawn(6, 250)
    assert [text for text, _ in roomy].count("1.00") > 0
    assert not [text for text, _ in narrow if re.fullmatch(r"\d\.\d\d", text)]
    assert words <= {text for text, _ in roomy}
    assert words <= {text for text, _ in narrow}


def test_of_many_words_so_many_stay_that_none_touches_the_next():
    words = [text for text, _ in drawn(32, 420) if text.startswith("w")]
    down = [f"w{i}" for i in range(32)]  # each has a row of 14 pixels
    across = [f"w{i}" for i in range(0, 32, 2)]
    assert sorted(words) == sorted(down + across)
