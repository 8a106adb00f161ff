"""The animation as a person meets it: in a real Chromium, by mouse, by keyboard and by link."""

import os
import signal
import statistics
import time
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from mha.charts import HEAD_HUES
from mha.layout import MISTAKES, misplaced, owner, stages
from tests.browser.a11y import serious_findings
from tests.browser.server import ROOT
from tests.browser.sight import PHONE
from tests.browser.visit import resize, settle

PATH = "/split_merge"
SMALL = "tokens=a+b+c+d&d_model=6&heads=3"
LARGEST = "tokens=a+b+c+d+e+f+g+h+i+j+k+l&d_model=64&heads=8&batch=2"
NAMES = [stage.name for stage in stages(1, 1, 1, 1)]

# Counts every message that the page sends to the server from now on.
COUNT_MESSAGES = """() => {
    window.messages = 0;
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...data) {
        window.messages += 1;
        return send.apply(this, data);
    };
}"""

# Plays from start to end, noting when each frame came; then the messages sent until it stopped.
PLAY = """async (stage) => {
    const play = stage.getRootNode().querySelector(".play");
    const frames = [];
    let watching = true;
    let messages = 0;
    const watch = (now) => {
        frames.push(now);
        if (play.ariaLabel === "Pause") messages = window.messages;
        if (watching) requestAnimationFrame(watch);
    };
    play.click();
    requestAnimationFrame(watch);
    while (play.ariaLabel === "Pause") await new Promise((done) => setTimeout(done, 20));
    watching = false;
    return { frames, messages };
}"""

IDLE = """async () => {
    const frames = [];
    const until = performance.now() + 1500;
    for (let now = 0; now < until; ) {
        now = await new Promise(requestAnimationFrame);
        frames.push(now);
    }
    return frames;
}"""

# The milliseconds that frames all along the time line cost, until their pixels can be read.
COSTS = """(stage) => {
    const ribbon = stage.getRootNode().querySelector(".ribbon");
    const costs = [];
    for (let at = 0; at <= 5; at += 0.05) {
        const start = performance.now();
        stage.drawAt(at);
        for (const canvas of [stage, ribbon]) canvas.getContext("2d").getImageData(0, 0, 1, 1);
        costs.push(performance.now() - start);
    }
    return costs;
}"""

# The colours at these points of a canvas, as #RRGGBB.
COLORS = """(canvas, points) => {
    const pen = canvas.getContext("2d");
    return points.map(([x, y]) => {
        const rgb = pen.getImageData(x, y, 1, 1).data.slice(0, 3);
        return "#" + [...rgb].map((part) => part.toString(16).padStart(2, "0")).join("");
    });
}"""


def stage_of(page: Page):
    return page.locator("canvas.stage")


def ribbon_of(page: Page):
    return page.locator("canvas.ribbon")


def draw_at(page: Page, at: float) -> None:
    stage_of(page).evaluate("(stage, at) => stage.drawAt(at)", at)


def cells(canvas) -> dict:
    """What is on a canvas: every cell's corner, in pixels, and how pixels are cells."""
    read = canvas.evaluate("(canvas) => canvas.readCells()")
    return read | {"x": np.array(read["x"]), "y": np.array(read["y"])}


def assert_shows(page: Page, stage) -> None:
    """The picture has every number where the layout has it, the ribbon has it at its address."""
    drawn = cells(stage_of(page))
    assert np.abs(drawn["x"] - (drawn["left"] + stage.column * drawn["wide"])).max() <= 0.51
    assert np.abs(drawn["y"] - (drawn["top"] + stage.row * drawn["high"])).max() <= 0.51
    drawn = cells(ribbon_of(page))
    row, column = np.divmod(stage.address, drawn["perRow"])
    assert np.abs(drawn["x"] - (drawn["left"] + column * drawn["wide"])).max() <= 0.51
    assert np.abs(drawn["y"] - (drawn["top"] + row * drawn["high"])).max() <= 0.51


def name_of(page: Page) -> str:
    return page.locator(".animation .name").inner_text()


def expect_stage(page: Page, name: str) -> None:
    """Wait for a stage; a play takes nine seconds, and more on a busy machine."""
    expect(page.locator(".animation .name")).to_have_text(name, timeout=30_000)


def in_the_link(page: Page, key: str = "stage") -> str | None:
    return parse_qs(urlsplit(page.url).query).get(key, [None])[0]


def position(page: Page) -> float:
    return page.locator(".scrub").evaluate("(scrub) => Number(scrub.value)")


def wait_until_at(page: Page, number: int) -> None:
    """Wait until the animation has come to a stage, and the server has been told."""
    page.wait_for_function(
        "([scrub, number]) => Number(scrub.value) === number",
        arg=[page.locator(".scrub").element_handle(), number],
    )
    settle(page)
    assert name_of(page) == NAMES[number]


def mark(page: Page) -> None:
    stage_of(page).evaluate("(stage) => { stage.isTheSame = true; }")


def is_the_same(page: Page) -> bool:
    return stage_of(page).evaluate("(stage) => stage.isTheSame === true")


# What is drawn


@pytest.mark.parametrize(
    ("link", "size", "way"),
    [
        (SMALL, (1, 4, 6, 3), None),
        *((LARGEST, (2, 12, 64, 8), way) for way in (None, *MISTAKES)),
    ],
)
def test_every_number_is_drawn_where_the_layout_has_it(open_page, link, size, way):
    page = open_page(f"{PATH}?{link}&mistake={way or 'none'}")
    for number, stage in enumerate(stages(*size, mistake=way)):
        draw_at(page, number)
        assert name_of(page) == stage.name
        assert_shows(page, stage)


def test_cells_have_the_hue_of_their_head_and_wrong_ones_a_cross(open_page):
    page = open_page(f"{PATH}?{SMALL}&mistake=no+transpose")
    hues = [HEAD_HUES[head].lower() for head in owner(1, 4, 6, 3)]
    for number, stage in enumerate(stages(1, 4, 6, 3, mistake="no transpose")):
        draw_at(page, number)
        drawn = cells(stage_of(page))
        corners = list(zip(drawn["x"].tolist(), drawn["y"].tolist(), strict=True))
        # Between the border of a mark, its cross and the number there is nothing but the hue.
        beside = [[x + 6, y + drawn["height"] // 2] for x, y in corners]
        assert stage_of(page).evaluate(COLORS, beside) == hues
        # The cross passes a quarter of the way in from the corner.
        crossed = [[x + drawn["width"] // 4, y + drawn["height"] // 4] for x, y in corners]
        whole = np.array(stage_of(page).evaluate(COLORS, crossed)) == np.array(hues)
        assert (whole == ~misplaced(stage)).all()


@pytest.mark.parametrize(
    ("way", "stage", "first"),
    [("no transpose", "view", 1), ("merge without transpose", "reshape", 4)],
)
def test_a_mistake_is_counted_from_where_it_happens(open_page, way, stage, first):
    page = open_page(f"{PATH}?{SMALL}&mistake={way.replace(' ', '+')}")
    for number in range(5):
        draw_at(page, number)
        said = "20 of 24 numbers are in the wrong place" if number >= first else ""
        assert page.locator(".animation .wrong").inner_text() == said
        assert said in page.locator(".animation .live").inner_text()
    expect(page.get_by_test_id("stAlert")).to_contain_text(
        "20 of 24 numbers are in the wrong place"
    )
    draw_at(page, first)
    assert name_of(page) == stage


# Playing


def test_a_full_play_is_smooth_and_asks_the_server_for_nothing(open_page, capsys):
    page = open_page(f"{PATH}?{LARGEST}")
    costs = stage_of(page).evaluate(COSTS)
    draw_at(page, 0)
    page.evaluate(COUNT_MESSAGES)
    idle = page.evaluate(IDLE)
    played = stage_of(page).evaluate(PLAY)
    fps, idle_fps = (1000 / statistics.median(np.diff(f)) for f in (played["frames"], idle))
    cheap, middle = np.quantile(costs, [0.25, 0.5])
    with capsys.disabled():
        print(
            f"\n1,536 cells: {fps:.1f} frames a second, median over a full play "
            f"({idle_fps:.1f} with nothing moving); a frame costs {middle:.1f} ms (quarter of them "
            f"below {cheap:.1f}); {played['messages']} messages to the server while it played"
        )
    assert played["messages"] == 0
    assert len(played["frames"]) > 100
    # Other work on the machine takes frames from anyone: a page where nothing moves tells how many.
    assert fps >= 0.9 * min(60, idle_fps)
    assert cheap < 1000 / 55
    settle(page)
    assert in_the_link(page) == "reshape"
    assert_shows(page, stages(2, 12, 64, 8)[-1])
    assert page.evaluate("window.messages") == 1


def test_play_pause_and_play_on(open_page):
    page = open_page(PATH)
    page.get_by_role("button", name="Play").click()
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Pause").click()
    settle(page)
    at = position(page)
    assert 0 < at < 5
    page.wait_for_timeout(400)
    assert position(page) == at
    assert in_the_link(page) == NAMES[int(np.ceil(at))]
    page.get_by_role("button", name="Play").click()
    expect_stage(page, "reshape")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    wait_until_at(page, 5)
    # At the end it begins again.
    page.get_by_role("button", name="Play").click()
    expect_stage(page, "input")
    expect_stage(page, "view")


def test_speed_and_loop(open_page):
    page = open_page(f"{PATH}?stage=reshape")
    page.get_by_label("Speed").select_option("2")
    page.get_by_role("button", name="Loop").click()
    expect(page.get_by_role("button", name="Loop")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Play").click()
    start = time.monotonic()
    for name in (*NAMES, "input", "view"):
        expect_stage(page, name)
    assert time.monotonic() - start < 15
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_scrubbing_draws_between_the_stages_and_snaps_when_near(open_page):
    page = open_page(f"{PATH}?{SMALL}")
    scrub = page.locator(".scrub")
    steps = stages(1, 4, 6, 3)
    scrub.evaluate("(s) => { s.value = 1.5; s.dispatchEvent(new Event('input')); }")
    page.wait_for_timeout(100)
    drawn = cells(stage_of(page))
    halfway = (steps[1].column + steps[2].column) / 2  # ease in and out is at a half there
    assert np.abs(drawn["x"] - (drawn["left"] + halfway * drawn["wide"])).max() <= 0.51
    assert in_the_link(page) is None
    scrub.evaluate(
        "(s) => { s.value = 2.95; s.dispatchEvent(new Event('input'));"
        " s.dispatchEvent(new Event('change')); }"
    )
    settle(page)
    assert position(page) == 3
    assert in_the_link(page) == "attention"
    assert_shows(page, steps[3])


def test_steps_by_button_go_one_stage_and_no_further(open_page):
    page = open_page(f"{PATH}?stage=attention")
    for number in (4, 5, 5):
        page.get_by_role("button", name="Step forward").click()
        wait_until_at(page, number)
        assert in_the_link(page) == NAMES[number]
    page.locator(".scrub").press("Home")
    page.get_by_role("button", name="Step forward").click()
    wait_until_at(page, 1)
    for number in (0, 0):
        page.get_by_role("button", name="Step back").click()
        wait_until_at(page, number)
    assert in_the_link(page) is None  # the default is not written


def test_the_keyboard_does_it_all(open_page):
    page = open_page(PATH)
    page.locator(".pictures").focus()
    for key, number in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 5),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        wait_until_at(page, number)
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.locator(".scrub").focus()
    page.keyboard.press("End")
    wait_until_at(page, 5)
    page.keyboard.press("ArrowDown")
    wait_until_at(page, 4)
    # A number is typed, not played.
    number = page.get_by_label("Follow number")
    number.focus()
    page.keyboard.type("12")
    page.keyboard.press("Home")
    assert number.input_value() == "12"
    assert position(page) == 4


def test_sizes_changed_by_a_quick_hand_leave_the_animation_whole(open_page):
    page = open_page(PATH)
    for key in ("d_model", "heads"):
        page.locator(f".st-key-{key}").get_by_role("slider").focus()
        for pressed in ["ArrowRight"] * 8 + ["ArrowLeft"] * 6:
            page.keyboard.press(pressed)
            page.wait_for_timeout(30)
    settle(page)
    assert page.get_by_text("Error").count() == 0
    assert name_of(page) == NAMES[0]
    page.locator(".pictures").focus()
    page.keyboard.press("End")
    wait_until_at(page, 5)


def test_two_quick_steps_go_two_stages(open_page):
    page = open_page(PATH)
    page.locator(".pictures").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wait_until_at(page, 2)
    assert in_the_link(page) == "transpose"


def test_with_reduced_motion_stages_follow_without_motion(open_page):
    page = open_page(PATH, reduced_motion=True)
    page.get_by_label("Speed").select_option("2")
    seen = page.locator(".scrub").evaluate(
        """async (scrub) => {
            const root = scrub.getRootNode();
            const seen = new Set();
            root.querySelector(".play").click();
            while (root.querySelector(".play").ariaLabel === "Pause") {
                seen.add(Number(scrub.value));
                await new Promise(requestAnimationFrame);
            }
            await new Promise(requestAnimationFrame); // what stopped it is drawn a frame later
            return [...seen, Number(scrub.value)];
        }"""
    )
    assert set(seen) <= {0, 1, 2, 3, 4, 5}
    assert seen[-1] == 5
    page.get_by_role("button", name="Step back").click()
    page.wait_for_timeout(150)
    assert position(page) == 4
    # The wish may change while the page is open.
    settle(page)
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("button", name="Step back").click()
    page.wait_for_timeout(150)
    assert 3 < position(page) < 4


# The link and the server


@pytest.mark.parametrize("number", [2, 5])
def test_a_link_opens_at_its_stage(open_page, number):
    page = open_page(f"{PATH}?{SMALL}&stage={NAMES[number].replace(' ', '+')}")
    assert name_of(page) == NAMES[number]
    assert position(page) == number
    assert_shows(page, stages(1, 4, 6, 3)[number])


def test_a_deep_link_is_a_fresh_servers_first_request(open_page, start_server):
    link = f"{PATH}?heads=8&stage=attention&mistake=no+transpose"
    page = open_page(link, server=start_server())
    assert name_of(page) == "attention"
    assert in_the_link(page, "heads") == "8"
    assert_shows(page, stages(1, 6, 32, 8, mistake="no transpose")[2])


def test_other_heads_keep_the_stage_and_the_same_animation(open_page):
    page = open_page(f"{PATH}?stage=transpose")
    mark(page)
    page.get_by_role("slider", name="Heads").press("ArrowRight")
    settle(page)
    assert is_the_same(page)
    assert name_of(page) == "transpose"
    assert_shows(page, stages(1, 6, 32, 8)[2])


def test_other_heads_while_it_plays_do_not_stop_it(open_page):
    page = open_page(PATH)
    mark(page)
    page.get_by_label("Speed").select_option("0.5")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("slider", name="Heads").press("ArrowRight")
    settle(page)
    assert is_the_same(page)
    assert page.locator(".play").get_attribute("aria-label") == "Pause"
    assert position(page) > 0
    page.get_by_label("Speed").select_option("2")
    expect_stage(page, "reshape")
    wait_until_at(page, 5)
    assert (in_the_link(page), in_the_link(page, "heads")) == ("reshape", "8")
    assert_shows(page, stages(1, 6, 32, 8)[5])


def test_a_stop_and_a_slider_at_once_are_both_in_the_link(open_page):
    page = open_page(PATH)
    page.locator(".pictures").press("End")
    page.get_by_role("slider", name="Heads").press("ArrowRight")
    page.locator(".pictures").press("Home")
    page.locator(".pictures").press("End")
    settle(page)
    wait_until_at(page, 5)
    assert (in_the_link(page), in_the_link(page, "heads")) == ("reshape", "8")


def test_another_way_keeps_the_stage_that_both_have(open_page):
    page = open_page(f"{PATH}?{SMALL}&stage=attention")
    mark(page)
    for way in ("no transpose", "merge without transpose", "none"):
        page.get_by_role("radio", name=way, exact=True).click()
        settle(page)
        assert name_of(page) == "attention"
        steps = stages(1, 4, 6, 3, mistake=None if way == "none" else way)
        assert_shows(page, next(step for step in steps if step.name == "attention"))
    assert is_the_same(page)


def test_the_list_of_stages_moves_the_animation(open_page):
    page = open_page(PATH)
    page.get_by_text("Still pictures, and every stage in words").click()
    settle(page)
    page.get_by_role("radio", name="transpose", exact=True).click()
    expect_stage(page, "transpose")
    assert in_the_link(page) == "transpose"
    wait_until_at(page, 2)
    page.get_by_role("button", name="Step forward").click()
    wait_until_at(page, 3)
    chosen = page.get_by_role("radio", name="attention", exact=True)
    expect(chosen).to_have_attribute("aria-checked", "true")


def test_an_answer_that_knows_of_fewer_stops_asks_for_nothing(browser):
    page = browser.new_page()
    asked, told = page.evaluate(
        """(script) => {
            const link = new Function(`${script}; return makeLink();`)();
            const told = [];
            const tell = (stop) => told.push(stop);
            const hear = (asked, stops) => link.hear({ asked, told: stops }, tell);
            hear("input", 0);
            link.tell("reshape");
            link.tell("input");
            link.tell("input"); // nothing new
            const asked = [
                hear("reshape", 1), // late
                hear("input", 2),
                hear("view", 2), // chosen on the page
                hear("view", 0), // a server that began anew
            ];
            link.tell("transpose");
            asked.push(hear("transpose", 1), hear("reshape", 1));
            return [asked, told];
        }""",
        (ROOT / "pages/parts/animation/link.js").read_text("utf-8"),
    )
    page.close()
    assert asked == [False, False, True, False, False, True]
    assert told == [
        {"stage": "reshape", "told": 1},
        {"stage": "input", "told": 2},
        {"stage": "transpose", "told": 1},
    ]


def test_a_late_answer_of_a_slow_server_moves_nothing(open_page, start_server):
    server = start_server()
    page = open_page(PATH, server=server)
    page.locator(".pictures").focus()
    os.kill(server.pid, signal.SIGSTOP)
    try:
        page.keyboard.press("End")
        page.wait_for_timeout(300)
        page.keyboard.press("Home")
        page.wait_for_timeout(300)
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(1500)
        assert position(page) == 1
        page.locator(".scrub").evaluate(
            """(scrub) => {
                scrub.seen = new Set();
                const look = () => { scrub.seen.add(scrub.value); requestAnimationFrame(look); };
                look();
            }"""
        )
    finally:
        os.kill(server.pid, signal.SIGCONT)
    settle(page)
    page.wait_for_timeout(300)
    assert page.locator(".scrub").evaluate("(scrub) => [...scrub.seen]") == ["1"]
    assert in_the_link(page) == "view"


def test_the_stage_leaves_the_link_with_the_page(open_page):
    page = open_page(f"{PATH}?stage=transpose")
    page.get_by_role("link", name="Overview").first.click()
    settle(page)
    assert in_the_link(page) is None


# Following one number


def test_a_number_typed_is_followed_to_the_end(open_page):
    page = open_page(f"{PATH}?{SMALL}")
    page.get_by_label("Follow number").fill("13")
    path = page.locator(".animation .path")
    z = stages(1, 4, 6, 3)[3].address[13]
    expect(path).to_have_text(
        f"13: x[0, 2, 1] → heads[0, 0, 2, 1] → address 13 → after the copy address {z} → "
        "merged[0, 2, 1], address 13"
    )
    page.get_by_label("Follow number").fill("24")  # one too many
    expect(path).to_have_text("Point at a number, tap it or type it.")


@pytest.mark.parametrize("name", ["stage", "ribbon"])
def test_a_number_under_the_pointer_is_followed_and_a_click_keeps_it(open_page, name):
    page = open_page(f"{PATH}?{SMALL}&stage=transpose")
    canvas = page.locator(f"canvas.{name}")
    canvas.scroll_into_view_if_needed()
    drawn = cells(canvas)
    spot = {"x": int(drawn["x"][13]) + 8, "y": int(drawn["y"][13]) + 8}
    path = page.locator(".animation .path")
    canvas.hover(position=spot)
    expect(path).to_contain_text("13: x[0, 2, 1] → heads[0, 0, 2, 1]")
    expect(page.locator(".animation .here")).to_contain_text("B 0, h 0, T 2, d_head 1")
    page.mouse.move(0, 0)
    expect(path).to_have_text("Point at a number, tap it or type it.")
    canvas.click(position=spot)
    page.mouse.move(0, 0)
    expect(path).to_contain_text("13: x[0, 2, 1]")
    expect(page.get_by_label("Follow number")).to_have_value("13")


def test_a_wrong_number_says_where_it_belongs(open_page):
    page = open_page(f"{PATH}?{SMALL}&mistake=merge+without+transpose&stage=reshape")
    page.get_by_label("Follow number").fill("2")
    wrong = stages(1, 4, 6, 3, mistake="merge without transpose")[-1].index[2]
    expect(page.locator(".animation .path")).to_contain_text(
        f"merged[{', '.join(map(str, wrong))}], address 8 → wrong: belongs at [0, 0, 2]"
    )


# Seen and heard


def test_axe_finds_nothing_serious(open_page):
    page = open_page(f"{PATH}?{SMALL}&mistake=no+transpose", height=4000, theme="dark")
    for label in (
        "Why .view after .transpose raises",
        "Still pictures, and every stage in words",
    ):
        page.get_by_text(label).click()
        settle(page)
    assert serious_findings(page) == []
    resize(page, *PHONE)
    assert serious_findings(page, "dark", "light") == []


def test_a_reader_is_told_the_stage_once_and_not_every_frame(open_page):
    page = open_page(PATH)
    page.get_by_label("Speed").select_option("2")
    said = page.locator(".live").evaluate(
        """async (live) => {
            const root = live.getRootNode();
            const said = [];
            const note = () => said.push(live.textContent);
            new MutationObserver(note).observe(live, { childList: true });
            root.querySelector(".play").click();
            while (root.querySelector(".play").ariaLabel === "Pause") {
                await new Promise((done) => setTimeout(done, 50));
            }
            return said;
        }"""
    )
    assert [text.split(":")[0] for text in said] == [
        f"Stage {number + 1} of 6, {name}" for number, name in list(enumerate(NAMES))[1:]
    ]
    picture = stage_of(page).get_attribute("aria-label")
    assert picture == "Stage reshape: shape (B 1, T 6, C 32); 4 heads, a hue each."
    assert "strides (B 192, T 32, C 1)" in ribbon_of(page).get_attribute("aria-label")


def test_the_other_theme_is_drawn_without_asking_the_server(open_page):
    page = open_page(f"{PATH}?{SMALL}")
    page.evaluate(COUNT_MESSAGES)
    inks = []
    for theme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(500)
        drawn = cells(ribbon_of(page))
        # On the stem of the first arrow, just above address 0.
        stem = [[int(drawn["left"] + drawn["wide"] / 2), int(drawn["top"]) - 6]]
        inks.append(ribbon_of(page).evaluate(COLORS, stem)[0])
    assert inks[0] == inks[2]
    assert int(inks[0][1:3], 16) < 60
    assert int(inks[1][1:3], 16) > 200


def test_the_pictures_and_the_controls_fill_a_projector_s_first_screen_and_no_more(open_page):
    page = open_page(f"{PATH}?stage=attention", width=1920, height=1080)
    page.get_by_label("Follow number").fill("42")
    bottoms = []
    for part in (".stage", ".ribbon", ".follow", ".bar"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= (bottoms[-1] if bottoms else 0), part  # nothing lies on another
        bottoms.append(box["y"] + box["height"])
    assert 900 < bottoms[-1] <= 1080


def test_no_stage_moves_the_pictures(open_page):
    page = open_page(f"{PATH}?mistake=no+transpose")
    tops = set()
    for number in range(5):
        draw_at(page, number)
        tops.add((stage_of(page).bounding_box()["y"], ribbon_of(page).bounding_box()["y"]))
    assert len(tops) == 1


def test_a_narrow_window_is_filled_and_not_overfilled(open_page):
    page = open_page(f"{PATH}?stage=attention")
    mark(page)
    wide = cells(stage_of(page))["wide"]
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    page.wait_for_timeout(200)
    assert is_the_same(page)
    assert cells(stage_of(page))["wide"] < wide
    for canvas in (stage_of(page), ribbon_of(page)):
        box = canvas.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        assert canvas.evaluate("(c) => c.width") == pytest.approx(box["width"], abs=1)
    assert_shows(page, stages(1, 6, 32, 4)[3])
    assert page.evaluate("document.scrollingElement.scrollWidth") <= 390


def test_every_control_can_be_touched_on_a_phone_and_has_a_name(open_page):
    page = open_page(PATH, width=390, height=844)
    controls = page.locator(".animation").locator("button, select, input")
    assert controls.count() == 7
    for control in controls.all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= 44, control.get_attribute("class")
        assert control.evaluate("(c) => c.ariaLabel || c.labels[0].textContent.trim()")


def test_the_picture_is_crisp_on_a_dense_screen(browser, server):
    context = browser.new_context(base_url=server.url, device_scale_factor=2)
    page = context.new_page()
    page.goto(f"{PATH}?{SMALL}")
    stage_of(page).wait_for()
    page.wait_for_timeout(500)
    box = stage_of(page).bounding_box()
    assert stage_of(page).evaluate("(c) => c.width") == pytest.approx(2 * box["width"], abs=2)
    assert_shows(page, stages(1, 4, 6, 3)[0])
    context.close()
