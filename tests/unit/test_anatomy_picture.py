"""The picture of a word: every box lies over what it is made of."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from mha.charts import HEAD_HUES, MASK_GREY
from mha.charts.anatomy import anatomy_spec, with_hues
from mha.sentence import MAX_CODE_POINTS, dissect, visible
from mha.tables import anatomy_table
from tests.unit.draw import ACCENTED, FAMILY, FLAGS, HOSTILE, patient, texts

words = texts().map(lambda text: visible(text)[:MAX_CODE_POINTS]).filter(bool)
LABEL, CHARACTERS, CODE_POINTS, BYTES = range(4)


def lane(table, number):
    return table[table["lane"] == number]


@given(word=words)
@example(word=f"{FAMILY}{ACCENTED}{FLAGS}ab")
@patient
def test_every_row_covers_the_word_from_end_to_end_in_order(word):
    anatomy = dissect(word)
    table = anatomy_table(anatomy)
    for number in (LABEL, CHARACTERS, CODE_POINTS):
        boxes = lane(table, number)
        assert boxes["left"].iloc[0] == 0
        assert boxes["right"].iloc[-1] == 1
        np.testing.assert_array_equal(boxes["left"].iloc[1:], boxes["right"].iloc[:-1])
        assert (boxes["left"] < boxes["right"]).all()
    # Set apart, so that it runs by its own first letter in a picture that runs left to right.
    assert lane(table, LABEL)["text"].tolist() == [f"\u2068{word}\u2069"]
    assert lane(table, CHARACTERS)["text"].tolist() == [c.text for c in anatomy.clusters]
    numbers = lane(table, CODE_POINTS)["text"]
    assert [chr(int(number, 16)) for number in numbers] == list(word)
    stored = bytes.fromhex("".join(lane(table, BYTES)["text"]))
    assert stored == word.encode()


@given(word=words)
@patient
def test_a_box_lies_over_its_parts(word):
    table = anatomy_table(dissect(word))
    for number in (CODE_POINTS, BYTES):
        parts = lane(table, number).groupby("cluster")
        whole = lane(table, CHARACTERS).set_index("cluster")
        for cluster, part in parts:
            assert part["left"].min() == whole.loc[cluster, "left"]
            if number == CODE_POINTS:
                assert part["right"].max() == whole.loc[cluster, "right"]


def test_characters_say_their_place_and_way_where_letters_run_leftward():
    def ways(word: str) -> list[str]:
        return anatomy_table(dissect(word))["way"].tolist()

    assert [way for way in ways("a1מל-") if way] == ["1 →", "2 →", "3 ←", "4 ←", "5 ←"]
    for word in ("ab", FAMILY, "12"):
        assert not any(ways(word))
    characters = lane(anatomy_table(dissect("aמ")), CHARACTERS)
    assert characters["way"].tolist() == ["1 →", "2 ←"]


def test_each_row_says_how_many_there_are_once():
    table = anatomy_table(dissect(FAMILY + "a"))
    assert [title for title in table["title"] if title] == [
        "one label",
        "2 characters to a reader",
        "6 code points, which len counts",
        "19 bytes",
    ]
    assert anatomy_table(dissect("a"))["title"].tolist() == [
        "one label",
        "1 character to a reader",
        "1 code point, which len counts",
        "1 byte",
    ]


@given(word=words)
@patient
def test_what_belongs_to_a_character_has_its_hue(word):
    table = with_hues(anatomy_table(dissect(word)))
    assert lane(table, LABEL)["hue"].tolist() == [MASK_GREY]
    below = table[table["lane"] > LABEL]
    assert below["hue"].tolist() == [HEAD_HUES[i % len(HEAD_HUES)] for i in below["cluster"]]
    assert set(table["ink"]) <= {"#000000", "#FFFFFF"}


@given(word=st.sampled_from(HOSTILE))
def test_the_spec_is_built_once_and_holds_no_word(word):
    assert anatomy_spec()["layer"] is anatomy_spec()["layer"]
    assert "data" not in anatomy_spec()
    assert word not in json.dumps(anatomy_spec())
