"""The KV cache over context length, and what each token costs to decode, as lines.

`cache_marks` and `decoding_marks` of `mha.cache_marks` feed them; a row's `kind` says which layer
draws it. Words stand on the picture itself, with no legend. Their halo has the colour of the page,
and so they have that of its text: both as the spec was built for, and legible on any ground.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import altair as alt

from mha.charts.colors import CHOSEN, MASK_GREY, PAGE, SEQUENTIAL, TEXT, Theme
from mha.charts.marks import finish, kept, of_kind, share

PIXELS = 500
_x, _y = partial(share, channel=alt.X), partial(share, channel=alt.Y, end=1.06)
FONT = 17
_LINE_HEIGHT = 20
_CHOSEN, _OUTGROWS = (1, 2), (3.5, 3)  # lines: from the axis up to a text, and of the text
_SIGN = 8  # pixels, as wide as a sign may be
_MEMORY_NAMES = 68  # pixels that the names of the memories take on the left


def cache_spec(theme: Theme) -> dict[str, Any]:
    """Bytes over context length, memories as rules, ready to be fed the marks of `cache_marks`."""
    return kept(_cache, theme)


def decode_spec(theme: Theme) -> dict[str, Any]:
    """Two lines over the tokens, ready to be fed the marks of `decoding_marks`."""
    return kept(_decode, theme)


def _cache(theme: Theme) -> alt.LayerChart:
    tips = [
        alt.Tooltip("model:N"),
        alt.Tooltip("context:Q", title="tokens", format=","),
        alt.Tooltip("bytes:Q", format=","),
    ]
    memories = of_kind("memory")
    rules = memories.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=MASK_GREY, aria=False)
    to_rules = memories.mark_rule(strokeWidth=1.5, color=MASK_GREY, aria=False)
    names = memories.encode(x=alt.value(4), y=_y("label_y"))
    sizes = of_kind("tick_y").encode(x=alt.value(0), y=_y("y"))
    outgrows = of_kind("outgrows").encode(x=_x("x"), y=_y("y"), tooltip=tips)
    diamond = {"shape": "diamond", "filled": True, "size": 240, "opacity": 1}
    return _finished(
        [
            _grid("tick_y"),
            *_ticks_below("tokens in the context (1K = 1,024)", theme),
            *_haloed(sizes, theme, align="right", baseline="middle", dx=-8),
            rules.encode(
                x=alt.value(_MEMORY_NAMES + 16),
                x2=alt.value("width"),
                y=_y("y"),
            ),
            to_rules.encode(
                x=alt.value(_MEMORY_NAMES),
                x2=alt.value(_MEMORY_NAMES + 16),
                y=_y("label_y"),
                y2="y",
            ),
            *_haloed(names, theme, align="left", baseline="middle"),
            *_lines("model", theme, tips),
            *_drop("datum.kind == 'chosen' && datum.lit", CHOSEN, [], past=_OUTGROWS),
            *_drop("datum.kind == 'outgrows'", MASK_GREY, [2, 4], past=_CHOSEN),
            _chosen(tips),
            outgrows.mark_point(**diamond, color=TEXT[theme], stroke=PAGE[theme]),
            *_beside("datum.kind == 'chosen' && datum.lit", *_CHOSEN, theme),
            *_beside("datum.kind == 'outgrows'", *_OUTGROWS, theme),
            *_names(theme, broken="datum.text != datum.model"),
        ]
    )


def _decode(theme: Theme) -> alt.LayerChart:
    tips = [
        alt.Tooltip("way:N"),
        alt.Tooltip("n:Q", title="token", format=","),
        alt.Tooltip("cost:Q", format=",.6~g"),
    ]
    steps = of_kind("tick_y").encode(x=alt.value(0), y=_y("y"))
    return _finished(
        [
            _grid("tick_y"),
            *_ticks_below("token n", theme),
            *_lines("way", theme, tips),
            *_haloed(steps, theme, align="left", baseline="bottom", dy=-4),
            *_drop("datum.kind == 'chosen' && !datum.lit", CHOSEN, []),
            _chosen(tips),
            *_names(theme),
        ]
    )


def _lines(one: str, theme: Theme, tips: list[alt.Tooltip]) -> list[alt.Chart]:
    """A line for each, the lit one strong and on top, and places on it to hover over."""
    line = of_kind("line").encode(x=_x("x"), y=_y("y"), detail=f"{one}:N")
    return [
        line.transform_filter("!datum.lit").mark_line(color=MASK_GREY, strokeWidth=3),
        line.transform_filter("datum.lit").mark_line(color=SEQUENTIAL[theme][4], strokeWidth=4),
        of_kind("line")
        .mark_point(filled=True, size=300, opacity=0, aria=False)
        .encode(x=_x("x"), y=_y("y"), tooltip=tips),
    ]


def _chosen(tips: list[alt.Tooltip]) -> alt.Chart:
    return (
        of_kind("chosen")
        .mark_point(filled=True, opacity=1, size=alt.ExprRef("datum.lit ? 170 : 90"), color=CHOSEN)
        .encode(x=_x("x"), y=_y("y"), tooltip=tips)
    )


def _drop(
    shown: str, color: str, dash: list[int], past: tuple[float, int] | None = None
) -> list[alt.Chart]:
    """A rule from a mark down to the axis, broken where it would cross another mark's text.

    past: from the axis up to that text, and its height, in lines; the table has its place.
    """
    rule = (
        alt.Chart()
        .transform_filter(shown)
        .mark_rule(color=color, strokeWidth=2, strokeDash=dash or [1, 0], aria=False)
    )
    if past is None:
        return [rule.encode(x=_x("x"), y=_y("y"), y2=alt.value("height"))]
    top = _top(*past)
    bottom = f"({top} + {past[1] * _LINE_HEIGHT})"
    along = "(datum.x - datum.other_x) * width * (datum.other_signs > 0 ? 1 : -1)"
    reach = f"abs(datum.other_signs) * {_SIGN}"
    crosses = f"isValid(datum.other_x) && {along} > 0 && {along} < {reach}"
    mark = "scale('y', datum.y)"
    ends = alt.value(alt.ExprRef(f"{crosses} ? max({mark}, {top}) : height"))
    again = alt.value(alt.ExprRef(f"{crosses} ? max({mark}, {bottom}) : height"))
    return [
        rule.encode(x=_x("x"), y=_y("y"), y2=ends),
        rule.encode(x=_x("x"), y=again, y2=alt.value("height")),
    ]


def _top(above: float, lines: int) -> str:
    """Where a text begins that has so many lines, and so many between it and the axis: in pixels.

    The first line begins half a line above its middle.
    """
    return f"(height - {(above + lines - 0.5) * _LINE_HEIGHT:g})"


def _beside(shown: str, above: float, lines: int, theme: Theme) -> list[alt.Chart]:
    """A mark's words beside its rule, on the side that has room.

    above: lines of room between the axis and them. lines: that they have.
    """
    top = alt.value(alt.ExprRef(_top(above, lines)))
    words = alt.Chart().transform_filter(shown).encode(x=_x("x"), y=top)
    dx = alt.ExprRef("datum.align == 'left' ? 8 : -8")
    return _haloed(words, theme, baseline="top", align=alt.ExprRef("datum.align"), dx=dx)


def _names(theme: Theme, broken: str = "false") -> list[alt.Chart]:
    """What a line is, above its end; or behind its end, in two lines, where there are several.

    broken: whether it has two lines, as an expression.
    """
    two = -_LINE_HEIGHT / 2  # the first of two lines stands half a line higher
    words = of_kind("name").encode(x=alt.value("width"), y=_y("label_y"))
    return _haloed(
        words,
        theme,
        baseline="middle",
        align=alt.ExprRef("datum.align"),
        dx=alt.ExprRef("datum.align == 'left' ? 8 : -2"),
        dy=alt.ExprRef(f"datum.align == 'right' ? -15 : {broken} ? {two} : 0"),
        fontWeight=alt.ExprRef("datum.lit ? 'bold' : 'normal'"),
    )


def _haloed(
    words: alt.Chart, theme: Theme, text: str | alt.Value = "text:N", **more: Any
) -> list[alt.Chart]:
    words = words.encode(text=text)
    how = {"fontSize": FONT, "lineBreak": "\n", "lineHeight": _LINE_HEIGHT}
    halo = {"stroke": PAGE[theme], "strokeWidth": 5, "strokeJoin": "round", "aria": False}
    return [
        words.mark_text(**how, **more, **halo, color=PAGE[theme]),
        words.mark_text(**how, **more, color=TEXT[theme]),
    ]


def _grid(kind: str) -> alt.Chart:
    faint = {"color": MASK_GREY, "opacity": 0.4, "strokeWidth": 1, "aria": False}
    return of_kind(kind).mark_rule(**faint).encode(x=alt.value(0), x2=alt.value("width"), y=_y("y"))


def _ticks_below(title: str, theme: Theme) -> list[alt.Chart]:
    """The axis, the numbers below it, and what they are."""
    ticks = of_kind("tick_x")
    grey = {"color": MASK_GREY, "strokeWidth": 1.5, "aria": False}
    foot = alt.value("height")
    numbers = ticks.encode(x=_x("x"), y=foot)
    first = ticks.transform_filter("datum.x == 0 || datum.x == 0.5 && datum.text == '1'")
    named = first.encode(x=alt.value(0), y=foot)
    bold = alt.ExprRef("datum.lit ? 'bold' : 'normal'")
    return [
        ticks.mark_rule(**grey).encode(x=_x("x"), y=foot, y2=alt.value(alt.ExprRef("height + 6"))),
        ticks.mark_rule(**grey).encode(x=alt.value(0), x2=alt.value("width"), y=foot),
        *_haloed(numbers, theme, baseline="top", dy=10, fontWeight=bold),
        *_haloed(named, theme, alt.value(title), baseline="top", align="left", dy=34),
    ]


def _finished(layers: list[alt.Chart]) -> alt.LayerChart:
    return finish(layers).properties(height=PIXELS)
