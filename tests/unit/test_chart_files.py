"""Charts as files: every word is in them, none is read as markup, and colours are the page's."""

from __future__ import annotations

import struct
from xml.etree import ElementTree

import altair as alt
import pytest
import vl_convert

from mha.cache_marks import cache_marks, decoding_marks, kv_readers_marks
from mha.cache_tables import decoding_table
from mha.charts import PAGE, TEXT, files, weights_spec, with_ink
from mha.charts.cache import cache_spec, decode_spec
from mha.charts.files import SHEET_WIDTH, WIDTH, Picture, png, sheet_svg, svg
from mha.charts.readers import kv_readers_spec, with_hues
from mha.config import AttentionConfig
from mha.hand_built import GALLERY, features
from mha.models import MODELS
from mha.sentence import Sentence
from mha.tables import weights_table
from tests.unit.draw import HOSTILE
from tests.unit.says import says

SVG = "{http://www.w3.org/2000/svg}"
either_theme = pytest.mark.parametrize("theme", ["light", "dark"])


def drawn(picture: str) -> list[ElementTree.Element]:
    """Every element of the picture that is text."""
    return list(ElementTree.fromstring(picture).iter(f"{SVG}text"))


def words(picture: str) -> set[str]:
    """The lines of text that can be read in it."""
    return {line for text in drawn(picture) for line in text.itertext() if line}


def llama():
    return cache_marks(MODELS["llama-3-8b"], 4096, others=[MODELS["gpt2"]])


def weights_of(text: str):
    sentence = Sentence.fit(text)[0]
    trace = GALLERY["previous token"](sentence).attend(features(sentence))
    table = weights_table(trace, sentence, query=len(sentence) - 1, key=0)
    return with_ink(table, "weight", "light"), weights_spec(len(sentence), "light")


@either_theme
def test_every_word_of_a_chart_is_in_its_svg(theme):
    picture = svg(cache_spec(theme), llama(), theme=theme)
    written = llama()[llama()["kind"].isin(["tick_x", "tick_y", "memory", "name", "outgrows"])]
    expected = {line for text in written["text"] for line in text.split("\n")}
    assert expected | {"4K tokens:", "537 MB", "tokens in the context (1K = 1,024)"} == words(
        picture
    )


def test_the_other_pictures_are_drawn_too():
    layer = AttentionConfig(32, 8, 2)
    marks = decoding_marks(decoding_table(layer, 6), "multiply_adds", 3)
    assert {"with a cache: 2,944", "token n", "3"} <= words(svg(decode_spec("light"), marks))
    readers = words(svg(kv_readers_spec(), with_hues(kv_readers_marks(layer))))
    assert {*"01234567", "8 query heads, 0 to 7"} <= readers


@either_theme
def test_a_file_has_the_ground_and_the_text_of_its_theme(theme):
    picture = svg(cache_spec(theme), llama(), theme=theme)
    assert "currentColor" not in picture
    ground = ElementTree.fromstring(picture).find(f"{SVG}rect")
    assert ground.get("fill") == PAGE[theme]
    assert {text.get("fill") for text in drawn(picture)} == {TEXT[theme], PAGE[theme]}
    heads = svg(kv_readers_spec(), with_hues(kv_readers_marks(AttentionConfig(8, 4))), theme=theme)
    (title, *_) = [text for text in drawn(heads) if text.text == "4 query heads, 0 to 3"]
    assert title.get("fill") == TEXT[theme]


def test_people_s_words_are_text_whatever_they_say():
    table, spec = weights_of('<script>alert("1")</script> a&b currentColor "currentColor" ]]>')
    picture = svg(spec, table)
    assert {element.tag for element in ElementTree.fromstring(picture).iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "rect", "g", "path", "text", "tspan", "line", "title")
    }
    assert set(table["key_label"]) <= words(picture)
    assert "currentColor" in words(picture)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_word_breaks_a_file(text):
    table, spec = weights_of(text)
    assert ElementTree.fromstring(svg(spec, table)).tag == f"{SVG}svg"


@pytest.mark.parametrize(("width", "scale"), [(WIDTH, 2), (350, 1)])
def test_a_png_is_as_large_as_the_svg_times_its_scale(width, scale):
    root = ElementTree.fromstring(svg(cache_spec("light"), llama(), width=width))
    assert float(root.get("width")) == pytest.approx(width, abs=2)
    picture = png(cache_spec("light"), llama(), width=width, scale=scale)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == pytest.approx(
        [scale * float(root.get(side)) for side in ("width", "height")], abs=1
    )


def picture_of(text: str, title: str) -> Picture:
    table, spec = weights_of(text)
    return Picture(spec, table, title, columns=spec_columns(table))


def spec_columns(table) -> int:
    return int(table["key"].max()) + 1


def test_a_sheet_has_every_picture_below_its_title():
    titles = ["a < b & c", "second", "third"]
    sheet = sheet_svg([picture_of("x y", title) for title in titles], across=2)
    root = ElementTree.fromstring(sheet)
    told = {text.text: text for text in root.findall(f"{SVG}text")}
    assert list(told) == titles
    inner = root.findall(f"{SVG}svg")
    assert len({(one.get("x"), one.get("y")) for one in inner}) == 3
    for title, one in zip(told.values(), inner, strict=True):
        assert title.get("x") == one.get("x")
        assert float(title.get("y")) < float(one.get("y"))
        assert float(one.get("width")) <= SHEET_WIDTH + 2
        assert float(one.get("x")) + float(one.get("width")) <= float(root.get("width"))
        assert float(one.get("y")) + float(one.get("height")) <= float(root.get("height"))
    first, beside, below = (float(one.get("y")) for one in inner)
    assert first == beside < below


def test_one_picture_without_a_title_is_the_chart_itself():
    table, spec = weights_of("x y")
    assert sheet_svg([Picture(spec, table)]) == svg(spec, table)


def test_numbers_that_would_not_be_seen_are_not_written():
    many = [f"w{i}" for i in range(21)]  # 21 cells in half a sheet are narrower than a number
    sheet = sheet_svg([picture_of(" ".join(many), "a"), picture_of("x y", "b")])
    assert {"1.00", "w20", "y"} <= words(sheet)
    assert not [text for text in drawn(sheet) if text.get("opacity") == "0"]
    assert sum(text.text == "0.00" for text in drawn(sheet)) <= 2


def test_more_numbers_than_are_quickly_drawn_are_left_out(monkeypatch):
    picture = picture_of("x y", "a")
    monkeypatch.setattr(files, "MOST_NUMBERS", len(picture.table))
    assert "1.00" in words(sheet_svg([picture]))
    sheet = sheet_svg([picture, picture])
    assert "1.00" not in words(sheet)
    assert "y" in words(sheet)


def test_a_sheet_of_nothing_is_refused():
    with says(
        "number of pictures must be a whole number of at least 1; got number of pictures=0. "
        "Try number of pictures=1."
    ):
        sheet_svg([])


def test_the_kept_spec_is_not_changed():
    before = cache_spec("light").keys()
    svg(cache_spec("light"), llama())
    assert cache_spec("light").keys() == before
    assert "width" not in before
    assert "data" not in before


def test_the_converter_has_the_version_that_specs_are_written_for():
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    assert version in vl_convert.get_vegalite_versions()


@pytest.mark.parametrize(
    ("draw", "size", "message"),
    [
        (svg, {"width": 0}, "must be a whole number of at least 1; got width=0. Try width=1."),
        (png, {"width": 4001}, "must be at most 4000; got width=4001. Try width=4000."),
        (png, {"scale": 5}, "must be at most 4; got scale=5. Try scale=4."),
        (png, {"scale": 1.5}, "must be a whole number of at least 1; got scale=1.5. Try scale=1."),
    ],
)
def test_a_size_that_is_none_or_too_large_is_refused(draw, size, message):
    with says(f"{next(iter(size))} {message}"):
        draw(cache_spec("light"), llama(), **size)
