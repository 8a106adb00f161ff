"""What a visitor does: open a link, then every 5 to 15 s move a slider, type words or turn a page.

An interaction takes from the moment that its last request is sent until the last run that answers
it has finished, every frame of it received. A word is typed letter by letter: a live text field
waits for a pause of its own length (Streamlit's 250 ms) and then sends what stands there, so that
some runs are replaced by the next before they have finished.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.load.client import Client, Widget

THINK_SECONDS = (5.0, 15.0)
KEY_SECONDS = (0.08, 0.4)  # between two letters
PATIENCE_SECONDS = 60.0
_WORDS = "soft rain jacket light packable warm wool coat and thin dry the boots is".split()
_LINK = "tokens=the+soft+rain+jacket+is+light&d_model=16&heads=4"


@dataclass(frozen=True)
class Interaction:
    """One thing that a visitor did, on which page; seconds is None where no answer came."""

    page: str
    what: str
    seconds: float | None
    bytes: int


@dataclass
class Visitor:
    """One visitor with a tab of their own; `interactions` and `errors` grow as they go on."""

    url: str
    page: str
    random: Random
    interactions: list[Interaction] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    async def come(self) -> None:
        """Open a link to the page, and wait for its first run."""
        self.client = Client(self.url, self.page, _LINK)
        await self.client.open()
        await self.answered("open", self.client.rerun)

    async def stay(self, seconds: float) -> None:
        """Use the app for so long; the last interaction is waited for."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            think = self.random.uniform(*THINK_SECONDS)
            await asyncio.sleep(min(think, max(end - loop.time(), 0)))
            if loop.time() >= end:
                return
            await self.act()

    async def act(self) -> None:
        """Do one thing: three times out of five a slider is moved."""
        sliders = self.sliders()
        drawn = self.random.random()
        if drawn < 0.6 and sliders:
            await self.answered("slider", self.move_a_slider)
        elif drawn < 0.8 and self.text_fields():
            await self.answered("words", self.type_a_word)
        elif others := [address for address in self.client.pages if address != self.page]:
            self.page = self.random.choice(others)
            await self.answered("page", self.turn_the_page)
        else:
            await self.answered("slider", self.move_a_slider)

    async def answered(self, what: str, act) -> None:
        """Do it and note how long the answer took; an answer that never comes is noted as none."""
        client, before = self.client, self.client.bytes
        try:
            await act()
            await client.wait(PATIENCE_SECONDS)
        except (TimeoutError, ConnectionError) as error:
            self.errors.append(str(error))
        seconds = None if client.answered is None else client.answered - client.asked
        self.interactions.append(Interaction(self.page, what, seconds, client.bytes - before))

    async def leave(self) -> None:
        await self.client.close()
        self.errors += self.client.errors

    def sliders(self) -> list[tuple[str, Widget]]:
        return [
            (name, widget)
            for name, widget in self.client.widgets.items()
            if widget.kind == "slider" and not widget.proto.disabled and len(places(widget)) > 1
        ]

    def text_fields(self) -> list[tuple[str, Widget]]:
        """The fields that tell each letter: on every page, the words of the scene."""
        return [
            (name, widget)
            for name, widget in self.client.widgets.items()
            if widget.kind == "text_input" and widget.proto.HasField("live_debounce_ms")
        ]

    async def move_a_slider(self) -> None:
        name, slider = self.random.choice(self.sliders())
        kind = "string_array_value" if slider.proto.options else "double_array_value"
        place = self.random.choice(self.elsewhere(name, slider))
        await self.client.rerun(self.client.set(name, kind, [place]))

    def elsewhere(self, name: str, slider: Widget) -> list[float | str]:
        """Where the slider does not stand now."""
        proto = slider.proto
        first = [proto.options[int(i)] for i in proto.default] if proto.options else proto.default
        _, now = self.client.values.get(name, (None, list(first)))
        return [place for place in places(slider) if [place] != now]

    async def type_a_word(self) -> None:
        """Type two to six words anew, the last of them letter by letter."""
        name, field = self.random.choice(self.text_fields())
        pause = field.proto.live_debounce_ms / 1000
        *words, last = self.random.sample(_WORDS, self.random.randint(2, 6))
        for letters in range(1, len(last) + 1):
            wait = self.random.uniform(*KEY_SECONDS)
            if wait < pause and letters < len(last):
                await asyncio.sleep(wait)
                continue
            await asyncio.sleep(pause)
            text = " ".join([*words, last[:letters]])
            await self.client.rerun(self.client.set(name, "string_value", text))
            await asyncio.sleep(max(wait - pause, 0) if letters < len(last) else 0)

    async def turn_the_page(self) -> None:
        self.client.turn_to(self.page)
        await self.client.rerun()


def places(slider: Widget) -> Sequence[float | str]:
    """Where a slider can stand; of very many, about a hundred."""
    proto = slider.proto
    if proto.options:
        return list(proto.options)
    n = round((proto.max - proto.min) / proto.step)
    return [proto.min + i * proto.step for i in range(0, n + 1, max(1, n // 100))]
