"""What a person reads off a page, and what their hands do on it.

Everything is found the way a person finds it, or by the widget's key, which is its name in the
link. A picture is read by where its marks lie, never by how its chart is written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import parse_qs, urlencode, urlsplit

import numpy as np
from playwright.sync_api import Locator, Page, expect

from mha.sentence import EXAMPLE
from pages.parts import scene
from tests.browser.visit import settle

HEADS = "/hand_built_heads"
WITH_CHIPS = ("/", HEADS)  # the pages where the words stand as buttons

READ_PICTURE = """(chart) => {
    const seen = (mark) => Number(mark.getAttribute("opacity") ?? 1) > 0;
    const marks = (kind) =>
        [...chart.querySelectorAll(`.role-mark.mark-${kind} > :is(path, line, text)`)].filter(seen);
    const origin = (mark) => {
        const matrix = mark.getScreenCTM();
        return [matrix.e, matrix.f];
    };
    return {
        cells: marks("rect")
            .map((cell) => [cell.getBoundingClientRect(), getComputedStyle(cell).fill])
            .filter(([box, fill]) => fill !== "none")
            .map(([box, fill]) => [box.left, box.top, box.right, box.bottom, fill]),
        texts: marks("text").map((text) => [...origin(text), text.textContent]),
        rules: marks("rule").map((rule) => {
            const [x, y] = origin(rule);
            const [x2, y2] = [x + rule.x2.baseVal.value, y + rule.y2.baseVal.value];
            return [x, y, x2, y2, Number(rule.getAttribute("stroke-width") ?? 1)];
        }),
    };
}"""

TOKENS_IN_LINK = """([text, whenNone]) =>
    (new URLSearchParams(location.search).get("tokens") ?? whenNone) === text"""


def addresses() -> list[str]:
    """The address of every page that the app announces; the default page's is the root."""

    def address(file: str, *, default: bool = False, **_: Any) -> str:
        return "/" if default else f"/{Path(file).stem}"

    with patch.object(scene.st, "Page", address):
        return scene.pages()


def link(address: str = HEADS, **keys: Any) -> str:
    """A link as the app writes it: `link(tokens="a b", causal=False)`."""
    given = {k: str(v).lower() if isinstance(v, bool) else v for k, v in keys.items()}
    return f"{address}?{urlencode(given)}" if given else address


def link_of(page: Page) -> dict[str, str]:
    """What the address bar holds, by key."""
    return {k: v[-1] for k, v in parse_qs(urlsplit(page.url).query).items()}


# Hands.


def scroll_to(place: Locator) -> None:
    """Scroll until a place is in the window, and let the scrolling end: it closes open lists."""
    place.scroll_into_view_if_needed()
    place.evaluate("() => new Promise((end) => setTimeout(() => requestAnimationFrame(end)))")


def widget(page: Page, key: str) -> Locator:
    """The widget with this key."""
    return page.locator(f".st-key-{key}")


def type_words(page: Page, text: str) -> None:
    """Replace the words, key by key, without a confirming Enter."""
    box = widget(page, "tokens").get_by_role("textbox")
    box.press("ControlOrMeta+A")
    box.press_sequentially(text)
    # A live box waits for a pause in the typing before it tells anybody.
    page.wait_for_function(TOKENS_IN_LINK, arg=[text, EXAMPLE])
    settle(page)


def choose(page: Page, key: str, option: str) -> None:
    """Choose from a list with the mouse."""
    box = widget(page, key).get_by_role("combobox")
    scroll_to(box)
    box.click()
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


def choose_by_keyboard(page: Page, key: str, option: str) -> None:
    """Choose from a list by typing the option and confirming it."""
    box = widget(page, key).get_by_role("combobox")
    box.focus()
    box.press("ControlOrMeta+A")
    box.press_sequentially(option)
    box.press("Enter")
    settle(page)


def press_segment(page: Page, key: str, name: str) -> None:
    """Press one of the segments of a segmented control."""
    widget(page, key).get_by_role("radio", name=name, exact=True).click()
    settle(page)


def segments(page: Page, key: str) -> list[str]:
    """The names of the segments of a segmented control."""
    return widget(page, key).get_by_role("radio").all_inner_texts()


def press_slider(page: Page, key: str, *keys: str) -> None:
    for pressed in keys:
        widget(page, key).get_by_role("slider").press(pressed)
    settle(page)


def turn(page: Page, key: str) -> None:
    """Turn a toggle over."""
    widget(page, key).locator("label").click()
    settle(page)


def go_to(page: Page, address: str) -> None:
    """Go to another page of the app by its entry in the sidebar."""
    links = page.get_by_test_id("stSidebarNavLink")
    for entry in links.all():
        if urlsplit(entry.get_attribute("href")).path == address:
            entry.click()
            settle(page)
            return
    raise AssertionError(f"no entry for {address} in the sidebar")


def chips(page: Page) -> Locator:
    """The buttons of the words, one a token."""
    return page.locator(".chips button")


def press_chip(page: Page, position: int) -> None:
    """Press the button of a word with the keyboard."""
    chips(page).nth(position).press("Enter")
    settle(page)


# Eyes.


@dataclass(frozen=True)
class Picture:
    """A grid of weights or numbers, as it is drawn.

    rows, columns: the words beside it and above it.
    numbers: the text printed in each cell, "" where there is none.
    hatched: whether a line is drawn across the cell.
    colors: what each cell is filled with.
    centers: where each cell lies in the window.
    """

    rows: list[str]
    columns: list[str]
    numbers: list[list[str]]
    hatched: np.ndarray
    colors: list[list[str]]
    centers: np.ndarray

    @property
    def values(self) -> np.ndarray:
        """The printed numbers; NaN where none is printed."""
        return np.array([[float(text or "nan") for text in row] for row in self.numbers])


def picture_of(page: Page, side: str) -> Locator:
    """The picture of the head on this side, "left" or "right"."""
    return page.locator(f'[class*="st-key-weights_{side}"]').get_by_test_id("stVegaLiteChart")


def pictures(page: Page) -> Locator:
    """Every picture on the page that is in sight."""
    return page.get_by_test_id("stVegaLiteChart").and_(page.locator(":visible"))


def read(chart: Locator) -> Picture:
    """Read a grid: its cells by their places, and every text by the cell or the edge it is at."""
    scroll_to(chart)
    marks = chart.evaluate(READ_PICTURE)
    lefts, tops = (edges([cell[axis] for cell in marks["cells"]]) for axis in (0, 1))
    shape = (len(tops), len(lefts))
    assert len(marks["cells"]) == shape[0] * shape[1] > 0, "the cells are not a grid"
    boxes = np.empty((*shape, 4))
    colors = [[""] * shape[1] for _ in tops]
    for *box, color in marks["cells"]:
        i, j = int(np.abs(tops - box[1]).argmin()), int(np.abs(lefts - box[0]).argmin())
        boxes[i, j] = box
        colors[i][j] = color
    numbers = [[""] * shape[1] for _ in tops]
    hatched = np.zeros(shape, bool)
    middle_x, middle_y = boxes[0, :, [0, 2]].mean(axis=0), boxes[:, 0, [1, 3]].mean(axis=1)
    left, top = boxes[0, 0, :2]
    beside, above = [], []
    for x, y, text in marks["texts"]:
        i, j = int(np.abs(middle_y - y).argmin()), int(np.abs(middle_x - x).argmin())
        if x > left and y > top:
            numbers[i][j] += text
        elif y > top:
            beside.append((y, text))
        elif x > left:
            above.append((x, text))
    rows, columns = ([text for _, text in sorted(words)] for words in (beside, above))
    assert (len(rows), len(columns)) == shape, "not every row and column has one word"
    for x, y, x2, y2, _ in marks["rules"]:
        i = int(np.abs(middle_y - (y + y2) / 2).argmin())
        hatched[i, int(np.abs(middle_x - (x + x2) / 2).argmin())] = True
    centers = np.stack([boxes[..., [0, 2]].mean(-1), boxes[..., [1, 3]].mean(-1)], axis=-1)
    return Picture(rows, columns, numbers, hatched, colors, centers)


def edges(places: list[float]) -> np.ndarray:
    """The distinct ones among places in pixels, smallest first; less than a pixel apart is one."""
    ordered = np.sort(places)
    return ordered[np.diff(ordered, prepend=-np.inf) > 1]


@dataclass(frozen=True)
class Line:
    """A line between two words: where its ends are, and how wide it is."""

    start: tuple[float, float]
    end: tuple[float, float]
    width: float


def read_lines(chart: Locator) -> tuple[list[Line], dict[str, float], dict[str, float]]:
    """Read a picture of lines: the lines, and how far down each word on the left and right is."""
    scroll_to(chart)
    marks = chart.evaluate(READ_PICTURE)
    lines = [Line((x, y), (x2, y2), width) for x, y, x2, y2, width in marks["rules"]]
    middle = np.mean([x for x, _, _ in marks["texts"]])
    left = {text: y for x, y, text in marks["texts"] if x < middle}
    right = {text: y for x, y, text in marks["texts"] if x > middle}
    return lines, left, right


def click_cell(page: Page, side: str, query: int, key: int) -> None:
    """Click on a cell of a head's grid."""
    page.mouse.click(*read(picture_of(page, side)).centers[query, key])
    settle(page)


def hover_cell(page: Page, side: str, query: int, key: int) -> str:
    """Rest the mouse on a cell of a head's grid, and read what appears."""
    x, y = read(picture_of(page, side)).centers[query, key]
    page.mouse.move(x - 3, y - 3)
    page.mouse.move(x, y)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    return tooltip.inner_text()


def table(page: Page, name: str | re.Pattern[str]) -> list[list[str]]:
    """The cells of a table of numbers, row by row, as a screen reader is told them."""
    return (
        page.get_by_test_id("stDataFrame")
        .filter(has=page.get_by_label(name))
        .first.locator("tbody tr")
        .evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
    )


def seen(text: str) -> str:
    """A text without the signs of no width that keep people's words apart from ours."""
    return re.sub("[\u2060\u2066-\u2069]", "", text)


def messages(place: Page | Locator) -> list[str]:
    """What a page, or a part of it, tells in boxes of their own: notes, warnings, verdicts."""
    return [seen(text) for text in place.get_by_test_id("stAlert").all_inner_texts()]


def formulas(page: Page) -> list[str]:
    """The formulas in sight, as they are drawn."""
    return page.locator(".katex-html:visible").all_text_contents()


def scene_on(page: Page) -> dict[str, Any]:
    """What the sidebar and the row of words say."""
    return {
        "tokens": widget(page, "tokens").get_by_role("textbox").input_value(),
        "categories": widget(page, "categories").get_by_role("textbox").input_value(),
        "causal": widget(page, "causal").locator("input").is_checked(),
        "d_model": widget(page, "d_model").get_by_role("slider").get_attribute("aria-valuetext"),
        "heads": widget(page, "heads").get_by_role("slider").get_attribute("aria-valuetext"),
        "words": chips(page).all_inner_texts(),
        "notes": messages(page.get_by_test_id("stSidebar")),
    }


def everything_on(page: Page) -> dict[str, Any]:
    """All that a person can tell from a page: its texts, what is set, and its pictures."""
    main = page.get_by_test_id("stMain")
    set_to = """inputs => inputs.map(input => [
        input.ariaLabel, input.type === "checkbox" ? input.checked : input.value,
    ])"""
    drawn = """charts => charts.map(chart => [
        chart.ariaLabel, [...chart.querySelectorAll("text")].map(text => text.textContent),
        [...chart.querySelectorAll("path, line")].map(mark =>
            ["fill", "stroke-width"].map(name => mark.getAttribute(name))),
    ])"""
    return {
        "scene": scene_on(page),
        "text": main.inner_text(),
        "set": page.locator("input").evaluate_all(set_to),
        "chosen": page.get_by_role("radio", checked=True).all_inner_texts(),
        "tables": main.locator("canvas table").all_text_contents(),
        "pictures": pictures(page).evaluate_all(drawn),
    }


def edit_number(page: Page, matrix: str, row: int, column: int, number: str) -> None:
    """Write a number into the table of one's own W_Q or W_K, with the keyboard alone."""
    editor = page.locator(f'[class*="st-key-edit_{matrix}_"]')
    editor.get_by_test_id("stBaseButton-elementToolbar").last.focus()
    page.keyboard.press("Tab")
    selected = editor.locator("td[aria-selected=true]")
    at = re.fullmatch(r"glide-cell-(\d+)-(\d+)", selected.get_attribute("id"))
    column_now, row_now = int(at[1]), int(at[2])
    # The table's first column holds the rows' names.
    column += 1
    # A key pressed before the table has drawn what the last one did would be lost.
    while (row_now, column_now) != (row, column):
        if row_now != row:
            page.keyboard.press("ArrowDown" if row > row_now else "ArrowUp")
            row_now += 1 if row > row_now else -1
        else:
            page.keyboard.press("ArrowRight" if column > column_now else "ArrowLeft")
            column_now += 1 if column > column_now else -1
        expect(selected).to_have_attribute("id", f"glide-cell-{column_now}-{row_now}")
    page.keyboard.press("Enter")
    cell = page.locator("#portal input")
    cell.fill(number)
    cell.press("Enter")
    expect(cell).to_have_count(0)
    settle(page)
