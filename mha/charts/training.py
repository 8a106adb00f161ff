"""A run's losses as lines, and its heads' scores as strips; `mha.training_marks` feeds them.

Both lie over the steps of training. A strip is a head, and its colour the score, on the scale of
weights; what the head measurably does stands at its end.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from mha.charts.colors import MASK_GREY, PAGE, SEQUENTIAL, TEXT, Theme
from mha.charts.marks import finish, kept, of_kind

LOSS_PIXELS = 470
_FONT = 16
_STRIP, _BAR = 24, 30  # pixels, of one head
_DASHES = [[1, 0], [9, 5], [2, 4]]  # of the tasks
_TASKS = ["copy", "brackets", "pronouns"]
_LOSS = alt.Scale(type="log", domain=[0.00002, 6], nice=False)


def losses_spec(theme: Theme, steps: int) -> dict[str, Any]:
    """A line a task on a log axis, and a rule for a blind guess: ready to be fed its marks."""
    return {**kept(_losses, theme, steps), "height": LOSS_PIXELS}


def scores_spec(theme: Theme, steps: int, n_rows: int, *, axis: bool = True) -> dict[str, Any]:
    """A strip a head, a uniform head's below them: ready to be fed its marks.

    axis: whether the steps are written below; they need not be where another picture has them.
    """
    return {**kept(_scores, theme, steps, axis), "height": n_rows * strip_pixels(n_rows)}


def knock_out_spec(theme: Theme, n_rows: int) -> dict[str, Any]:
    """A bar for all that was turned off, one below the other: ready to be fed its marks."""
    return {**kept(_knock_out, theme), "height": n_rows * _BAR}


def strip_pixels(n_rows: int) -> float:
    """The height of a head's strip."""
    return max(19.0, min(float(_STRIP), 460 / n_rows))


def _losses(theme: Theme, steps: int) -> alt.LayerChart:
    y = alt.Y(
        "drawn:Q",
        scale=_LOSS,
        title="loss, nats a counted token",
        axis=_axis([0.0001, 0.001, 0.01, 0.1, 1], "~g", grid=True),
    )
    tips = [
        alt.Tooltip("task:N"),
        alt.Tooltip("step:Q", format=","),
        alt.Tooltip("loss:Q", title="loss, nats", format=".3f"),
    ]
    lines = of_kind("line").encode(x=_steps("step", steps), y=y)
    dash = alt.StrokeDash("task:N", scale=alt.Scale(domain=_TASKS, range=_DASHES), legend=None)
    blind = of_kind("blind").encode(y=y)
    names = of_kind("name").encode(
        x=_steps("step", steps), y=alt.Y("label_at:Q", scale=_LOSS), text="text:N"
    )
    side = alt.ExprRef("datum.step < datum.last / 2 ? 'left' : 'right'")
    return finish(
        [
            blind.mark_rule(color=MASK_GREY, strokeWidth=2, strokeDash=[6, 4]),
            lines.mark_line(color=SEQUENTIAL[theme][4], strokeWidth=4).encode(strokeDash=dash),
            lines.mark_point(filled=True, opacity=0, size=300, aria=False).encode(tooltip=tips),
            *_haloed(
                blind.encode(x=alt.value("width"), text="text:N"), theme, "right", dx=-2, dy=-12
            ),
            *_haloed(names, theme, side, dx=2, dy=4, weight="bold"),
        ]
    )


def _scores(theme: Theme, steps: int, axis: bool) -> alt.LayerChart:
    scale = alt.Scale(domain=[0, 1], range=list(SEQUENTIAL[theme]), clamp=True, interpolate="rgb")
    color = alt.Color("value:Q", scale=scale, legend=None)
    place = alt.Scale(paddingInner=0.12, paddingOuter=0)
    y = alt.Y("row:O", axis=None, scale=place)
    tips = [
        alt.Tooltip("name_of:N", title="head"),
        alt.Tooltip("step:Q", format=","),
        alt.Tooltip("value:Q", title="score", format=".3f"),
    ]
    once = alt.Chart().transform_filter("datum.step == 0")
    words = {"color": "currentColor", "fontSize": _FONT, "baseline": "middle"}
    return finish(
        [
            alt.Chart()
            .mark_rect()
            .encode(x=_steps("step", steps, axis), x2="until:Q", y=y, color=color, tooltip=tips),
            once.mark_text(**words, align="right", dx=-8).encode(
                x=alt.value(0), y=y, text="name_of:N"
            ),
            once.mark_text(**words, align="left", dx=8).encode(
                x=alt.value("width"), y=y, text="text:N"
            ),
        ]
    )


def _knock_out(theme: Theme) -> alt.LayerChart:
    x = alt.X("from:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.25, paddingOuter=0.1))
    color = alt.condition("datum.lit", alt.value(SEQUENTIAL[theme][4]), alt.value(MASK_GREY))
    tips = [
        alt.Tooltip("name_of:N", title="without"),
        alt.Tooltip("rise:Q", title="rise, nats", format="+.3f"),
    ]
    words = {"color": "currentColor", "fontSize": _FONT, "baseline": "middle"}
    bold = alt.ExprRef("datum.lit ? 'bold' : 'normal'")
    bars = alt.Chart().encode(y=y)
    return finish(
        [
            bars.mark_bar(cornerRadius=2).encode(x=x, x2="to:Q", color=color, tooltip=tips),
            bars.mark_text(**words, align="right", dx=-8, fontWeight=bold).encode(
                x=alt.value(0), text="name_of:N"
            ),
            bars.mark_text(**words, align="left", dx=8, fontWeight=bold).encode(
                x=alt.X("to:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False)),
                text="text:N",
            ),
        ]
    )


def _steps(field: str, steps: int, axis: bool = True) -> alt.X:
    scale = alt.Scale(domain=[0, steps * (1 + 1 / 60)], nice=False)
    below = _axis([0, steps], ",") if axis else None
    return alt.X(f"{field}:Q", scale=scale, title="steps of training", axis=below)


def _axis(values: list[float], format: str, *, grid: bool = False) -> alt.Axis:
    ink = "currentColor"
    return alt.Axis(
        values=values,
        labelExpr=f"format(datum.value, '{format}')",
        grid=grid,
        gridColor=MASK_GREY,
        gridOpacity=0.35,
        labelFontSize=_FONT,
        titleFontSize=_FONT,
        titleFontWeight="normal",
        labelColor=ink,
        titleColor=ink,
        domainColor=MASK_GREY,
        tickColor=MASK_GREY,
        labelFlush=True,
    )


def _haloed(
    words: alt.Chart, theme: Theme, align: Any, *, dx: int, dy: int, weight: str = "normal"
) -> list[alt.Chart]:
    how = {"fontSize": _FONT, "align": align, "dx": dx, "dy": dy, "fontWeight": weight}
    halo = {"stroke": PAGE[theme], "strokeWidth": 5, "strokeJoin": "round", "aria": False}
    return [
        words.mark_text(**how, **halo, color=PAGE[theme]),
        words.mark_text(**how, color=TEXT[theme]),
    ]
