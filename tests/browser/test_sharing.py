"""Sharing and the tour, as a lecturer works them, and as a phone in the last row sees them."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from pages.parts import tour
from tests.browser.reading import (
    HEADS,
    everything_on,
    go_to,
    link,
    messages,
    turn,
    widget,
)
from tests.browser.sight import LAPTOP, PROJECTOR, faults
from tests.browser.visit import resize, settle

# A screen is seen from 5.5 times its height away, and a phone's picture has 1,920 pixels over 69
# degrees: so high is the screen in it.
PIXELS_FROM_THE_LAST_ROW = 291
UNKNOWN = "link must be a page of this app and its query, such as /split_merge?heads=8; got link="
SHAPE = 'Stop 1: a stop must be {"link": …, "note": …} and no more'
LONG = "Stop 2: link must have a query of at most 2,000 characters; got 2,001"
LARGE = b'[{"link": "/", "note": ""}' + b" " * 2**19 + b"]"


def test_a_view_is_shared_with_the_last_row_and_opens_as_it_was(open_page):
    width, height = PROJECTOR
    scene = {
        "tokens": "soft rain and soft 雨衣",
        "step": "Predict",
        "guess": "rain",
        "reveal": True,
    }
    page = open_page(link(HEADS, **scene), width=width, height=height, theme="dark")
    turn(page, "causal")
    before = everything_on(page)
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_alt_text("QR code of the link")).to_be_in_viewport(ratio=1)
    settle(page)
    expect(dialog.get_by_role("button", name="Copy to clipboard")).to_have_count(1)
    (told,) = messages(dialog)
    assert "This address opens on this machine only: listeners cannot use it." in told
    shared = dialog.locator("code").inner_text().strip()
    assert shared.startswith(page.url.partition("?")[0] + "?tokens=")
    assert seen_from_the_last_row(page) == [shared]
    page.goto(shared)
    settle(page)
    assert everything_on(page) == before


def seen_from_the_last_row(page: Page) -> list[str]:
    """What a phone reads there off the screen."""
    screen = Image.open(BytesIO(page.screenshot(animations="disabled"))).convert("L")
    width = round(screen.width * PIXELS_FROM_THE_LAST_ROW / screen.height)
    small = screen.resize((width, PIXELS_FROM_THE_LAST_ROW), Image.Resampling.BILINEAR)
    return [code.text for code in zxingcpp.read_barcodes(small)]


# The tour


def told(page: Page) -> Locator:
    return page.get_by_role("status").and_(page.locator(".told"))


def notes(page: Page) -> Locator:
    """The fields of the stops' notes, in their order."""
    return page.get_by_role("textbox", name="Note of stop")


def expect_notes(page: Page, *texts: str) -> None:
    expect(notes(page)).to_have_count(len(texts))
    for field, text in zip(notes(page).all(), texts, strict=True):
        expect(field).to_have_value(text)


def press(page: Page, name: str) -> None:
    """Press a button with the keyboard."""
    page.get_by_role("button", name=name, exact=True).press("Enter")


def load(page: Page, content: bytes) -> None:
    file = {"name": "tour.json", "mimeType": "application/json", "buffer": content}
    page.locator('input[type="file"]').set_input_files(file)


def grip(page: Page, number: int) -> Locator:
    """Where stop `number` is taken hold of."""
    return page.locator(".grip").nth(number - 1)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, number: int, to: int, *, leave: bool = False) -> None:
    """Drag a stop by mouse to where another one is, a little at a time."""
    (x, y), (_, end) = middle(grip(page, number)), middle(grip(page, to))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5, end, steps=8)
    if leave:
        page.keyboard.press("Escape")
    page.mouse.up()


def drag_by_finger(page: Page, number: int, to: int) -> None:
    (x, y), (_, end) = middle(grip(page, number)), middle(grip(page, to))
    finger = page.context.new_cdp_session(page)
    for kind, at in [("touchStart", y), *[("touchMove", y + (end - y) * i / 8) for i in range(9)]]:
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": at}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    finger.detach()


def saved_as(page: Page, button: str, name: str) -> str:
    """What a button saves, as a file of this name."""
    with page.expect_download() as download:
        press(page, button)
    assert download.value.suggested_filename == name
    return Path(download.value.path()).read_text("utf-8")


def add_view(page: Page, note: str) -> None:
    page.get_by_role("button", name="Add this view").click()
    field = page.get_by_label("What you will say here, in one line")
    expect(field).to_be_focused()
    field.fill(note)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(told(page)).to_contain_text("Added: it is stop")
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    settle(page)


def move(page: Page, by: int) -> bool:
    """Send what the keys of presenter mode send; whether the tour took it, for itself alone."""
    return page.evaluate(
        """by => {
            const name = "explorer:move";
            let reached = 0;
            const other = () => { reached += 1; };
            document.addEventListener(name, other);
            const event = new CustomEvent(name, { cancelable: true, detail: { by } });
            const isTaken = !document.dispatchEvent(event);
            document.removeEventListener(name, other);
            return isTaken && reached === 0;
        }""",
        by,
    )


def expect_stop(page: Page, count: str, note: str, address: str) -> None:
    """Wait until the stop is there: the load that shows it has another address."""
    page.wait_for_url(address)
    settle(page)
    expect(page.locator(".bar .count")).to_have_text(count)
    expect(page.locator(".bar .note")).to_have_text(note)


def expect_bars_of_their_own(page: Page) -> None:
    """Wait until the tour's bar and a presenter's buttons cover neither the page nor each other."""
    page.wait_for_function(
        """() => {
            const box = (of) => document.querySelector(of).getBoundingClientRect();
            const hosts = [...document.querySelectorAll("*")].map((one) => one.shadowRoot);
            const part = (of) => hosts.find((root) => root?.querySelector(of))?.querySelector(of);
            const [bar, note] = [".bar[aria-label=Tour]", ".note"].map(
                (of) => part(of).getBoundingClientRect());
            const back = part(".back").getBoundingClientRect();
            return box('[data-testid="stMain"]').bottom <= bar.top + 1 && note.right <= back.left
                && back.top >= bar.top && bar.bottom === innerHeight
                && !part(".counter").checkVisibility();
        }"""
    )


def stop(link: object = "/", note: object = "") -> bytes:
    return json.dumps([{"link": "/", "note": ""}, {"link": link, "note": note}]).encode()


def unknown(link: object) -> tuple[bytes, str]:
    return stop(link), f"Stop 2: {UNKNOWN}{json.dumps(link)}"


REFUSED = [
    (b"[{", "A tour must be a JSON file; Expected property name"),
    (b"", "A tour must be a JSON file; Unexpected end"),
    (b"\xff\xfe[", "A tour must be a text file in UTF-8; "),
    (LARGE, "A tour must be a file of at most 524,288 bytes; got 524,315"),
    (b"{}", "A tour must be a list of stops; got {}"),
    (b"null", "A tour must be a list of stops; got null"),
    (b"[]", "A tour must have 1 to 100 stops; got 0"),
    (
        json.dumps([{"link": "/", "note": ""}] * 101).encode(),
        "A tour must have 1 to 100 stops; got 101",
    ),
    (b'["/"]', f'{SHAPE}; got "/"'),
    (b"[[]]", f"{SHAPE}; got []"),
    (b'[{"link": "/"}]', f'{SHAPE}; got {{"link":"/"}}'),
    (b'[{"link": "/", "note": "", "x": 1}]', f'{SHAPE}; got {{"link":"/","note":"","x":1}}'),
    unknown("javascript:alert(1)"),
    unknown("//evil.example"),
    unknown("/\\evil.example"),
    unknown("\\\\evil.example"),
    unknown("https://evil.example/"),
    unknown("/nowhere"),
    unknown("/overview"),
    unknown("/../tour"),
    unknown("/split_merge/"),
    unknown("/split_merge#x"),
    unknown("/split_merge?tokens=a b"),
    unknown("split_merge"),
    unknown(" /"),
    unknown(""),
    unknown(7),
    (stop("/?" + "x" * 2001), LONG),
    (stop(note="x" * 201), "Stop 2: note must have at most 200 characters; got 201"),
    (stop(note=["x"]), 'Stop 2: note must be one line of plain text; got note=["x"]'),
    (stop(note="a\nb"), 'Stop 2: note must be one line of plain text; got note="a\\nb"'),
    (stop(note="a\u202eb"), 'Stop 2: note must be one line of plain text; got note="a b"'),
]  # fmt: skip
REFUSE = """() => ["localStorage", "sessionStorage"].forEach(name =>
    Object.defineProperty(window, name, {
        get() { throw new DOMException("no", "SecurityError"); }, configurable: true,
    }))"""
LESSON = tour.default()
BY_ANOTHER_TAB = """tour => {
    localStorage.setItem("mha_tour", tour);
    window.dispatchEvent(new StorageEvent("storage", { key: "mha_tour" }));
}"""
HTML = "<img src=x onerror=alert(1)> **b** $x$"
THREE = [
    {"link": "/?heads=2", "note": HTML},
    {"link": "/split_merge?tokens=a+b&d_model=4&heads=2&stage=view", "note": "Cut."},
    {"link": "/parameters?bias=true&a_step=a%0A4.%E2%80%AEb", "note": "x" * 200},
]


def test_a_tour_is_made_changed_kept_and_played(open_page):
    page = open_page(link("/split_merge", tokens="a b c"))
    add_view(page, "First.")
    turn(page, "causal")
    add_view(page, "Second.")

    go_to(page, "/tour")
    expect_notes(page, "First.", "Second.")
    press(page, "Move stop 2 up")
    expect_notes(page, "Second.", "First.")
    expect(page.get_by_role("button", name="Move stop 1 down")).to_be_focused()
    notes(page).first.press("Alt+ArrowDown")
    expect_notes(page, "First.", "Second.")
    expect(notes(page).nth(1)).to_be_focused()
    notes(page).first.fill("  One\nline. ")
    notes(page).first.press("Enter")
    press(page, "Remove stop 2")
    expect_notes(page, "One line.")
    press(page, "Undo")
    expect_notes(page, "One line.", "Second.")
    assert faults(page, "the tour", "dark", "light") == []
    resize(page, *LAPTOP)

    page.reload()
    settle(page)
    expect_notes(page, "One line.", "Second.")
    saved = json.loads(saved_as(page, "Save as a file", "tour.json"))
    assert [one["note"] for one in saved] == ["One line.", "Second."]
    made = [parse_qs(urlsplit(one["link"]).query) for one in saved]
    assert [(keys["tokens"], keys["causal"]) for keys in made] == [
        (["a b c"], ["true"]),
        (["a b c"], ["false"]),
    ]

    for kept, shown in ((THREE, THREE), ([{"link": "//x", "note": ""}], LESSON), (saved, saved)):
        page.evaluate(BY_ANOTHER_TAB, json.dumps(kept))
        expect_notes(page, *(one["note"] for one in shown))
    for content, message in REFUSED:
        load(page, content)
        expect(told(page)).to_contain_text(message)
        expect(told(page)).to_contain_text("Nothing was changed.")
    expect_notes(page, "One line.", "Second.")
    load(page, json.dumps(THREE).encode())
    expect(told(page)).to_have_text("Loaded 3 stops.")
    expect_notes(page, *(one["note"] for one in THREE))
    here = page.url.partition("/tour")[0]
    titles = ("Overview", "Split and merge: view", "Where the parameters are: a 4. b")
    assert saved_as(page, "Save as a hand-out", "tour.txt").split("\n\n") == [
        f"{number}. {title}\n   {one['note']}\n   {here}{one['link']}" + "\n" * (number == 3)
        for number, (title, one) in enumerate(zip(titles, THREE, strict=True), start=1)
    ]

    first, second, third = (one["note"] for one in THREE)
    notes(page).nth(1).fill("\u2068Typed.\u2069")  # not yet kept; with marks that nobody sees
    drag(page, 1, 3)
    expect(told(page)).to_have_text("Stop 1 is stop 3 now.")
    expect_notes(page, "Typed.", third, first)
    press(page, "Undo")
    expect_notes(page, first, "Typed.", third)
    drag(page, 2, 1)
    expect_notes(page, "Typed.", first, third)
    drag(page, 1, 3, leave=True)
    drag(page, 3, 3)
    expect(told(page)).to_have_text("Stop 2 is stop 1 now.")
    expect_notes(page, "Typed.", first, third)
    drag_by_finger(page, 3, 1)
    expect_notes(page, third, "Typed.", first)
    load(page, json.dumps(THREE).encode())
    expect_notes(page, first, second, third)

    press(page, "Start the tour")
    expect_stop(page, "Stop 1 / 3", HTML, "**/?heads=2")
    expect(page.get_by_role("button", name="← Previous")).to_be_disabled()
    press(page, "Next →")
    expect_stop(page, "Stop 2 / 3", "Cut.", "**/split_merge?**")
    assert widget(page, "heads").get_by_role("slider").get_attribute("aria-valuetext") == "2"
    expect(page.get_by_role("button", name="Next →")).to_be_focused()
    page.keyboard.press("PageUp")  # as a remote sends it, where nobody presents
    expect_stop(page, "Stop 1 / 3", HTML, "**/?heads=2")
    page.keyboard.press("ArrowRight")
    expect_stop(page, "Stop 2 / 3", "Cut.", "**/split_merge?**")
    page.evaluate("history.replaceState(history.state, '', `${location.href}&present=true`)")
    assert move(page, 1)
    expect_stop(page, "Stop 3 / 3", "x" * 200, "**/parameters?**present=true")
    expect(page.get_by_role("button", name="Next →")).to_be_hidden()  # the keys do it
    expect_bars_of_their_own(page)
    assert move(page, 1)
    expect_stop(page, "Stop 3 / 3", "x" * 200, "**/parameters?**present=true")
    page.keyboard.press("c")
    expect(page.get_by_role("button", name="Next →")).to_be_disabled()
    press(page, "End tour")
    expect(page.get_by_label("Tour", exact=True)).to_be_hidden()
    assert not move(page, -1)

    # A browser that keeps nothing: until the next load, whatever it may do then.
    page.evaluate(REFUSE)
    go_to(page, "/tour")
    held = len(LESSON) - 4
    grip(page, held).scroll_into_view_if_needed()
    page.mouse.move(*middle(grip(page, held)))
    page.mouse.down()
    page.mouse.move(middle(grip(page, held))[0], LAPTOP[1] - 5, steps=4)  # the page moves along
    expect(page.get_by_text("This browser keeps the tour")).to_be_in_viewport()
    page.mouse.up()
    expect(told(page)).to_contain_text(f"Stop {held} is stop {len(LESSON)} now.")
    press(page, "Undo")
    press(page, "Remove stop 1")
    expect(told(page)).to_have_text(
        "Removed stop 1. This browser does not keep it: save it as a file before you close the tab."
    )
    press(page, "Play from stop 2")
    expect_stop(page, f"Stop 2 / {len(LESSON) - 1}", LESSON[2]["note"], "**/hand_built_heads?**")
