"""A run of the page of learned heads against a bare loop, and what it costs other pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import torch
import torch.nn.functional as F
from streamlit.testing.v1 import AppTest
from torch import Tensor

from mha.training import AttentionOnly, Run, Settings
from mha.training.settings import MAX_SNAPSHOTS, MAX_STEPS
from mha.training.texts import training_texts
from tests.benchmarks.pairs import Pair
from tests.benchmarks.reruns import ROOT, SECONDS

DEFAULT = Settings()
BETWEEN = DEFAULT.steps // MAX_SNAPSHOTS  # steps from one snapshot to the next, on average


def pairs() -> Iterator[Pair]:
    """One thread, as on the page; hoped for: 60 steps a second, the default run in 15 s."""
    torch.set_num_threads(1)
    ours, theirs = Endless(), Bare()
    yield Pair(
        f"a run, {BETWEEN} steps and a snapshot",
        ours.part,
        f"a bare loop, {BETWEEN} steps, no snapshot",
        theirs.part,
        aim=1.15,
    )
    app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=SECONDS).run()
    app.switch_page("pages/hand_built_heads.py").run()
    number = iter(range(10**9))

    def rerun() -> None:
        app.slider("sharp_left").set_value(float(next(number) % 10)).run()

    with in_the_background(Endless()) as goes_on:

        def rerun_meanwhile() -> None:
            goes_on.set()
            rerun()
            goes_on.clear()

        yield Pair(
            "rerun of hand-built heads, a run going on",
            rerun_meanwhile,
            "the same rerun alone",
            rerun,
        )


class Endless:
    """A run that begins again when it is done."""

    def __init__(self) -> None:
        self.run = Run(Settings(steps=MAX_STEPS))

    def advance(self) -> None:
        if self.run.is_done:
            self.__init__()
        self.run.advance()

    def part(self) -> None:
        """The steps from one snapshot to the next, and a snapshot."""
        for _ in range(BETWEEN):
            self.advance()
        self.run.snapshot()


class Bare:
    """The same model, texts and optimizer in the least code that trains."""

    def __init__(self) -> None:
        like = AttentionOnly(DEFAULT)
        self.tokens, self.positions, self.unembedding = (
            part.detach().clone().requires_grad_()
            for part in (like.tokens, like.positions, like.unembedding)
        )
        self.layers = [
            tuple(part.weight.detach().clone().requires_grad_() for part in (layer.qkv, layer.out))
            for layer in like.layers
        ]
        flat = [weight for layer in self.layers for weight in layer]
        self.optimizer = torch.optim.AdamW(
            [self.tokens, self.positions, self.unembedding, *flat],
            lr=DEFAULT.learning_rate,
            fused=True,
        )
        self.step = 0

    def stream(self, tokens: Tensor) -> Tensor:
        B, T = tokens.shape
        x = self.tokens[tokens] + self.positions[:T]
        for qkv, out in self.layers:
            q, k, v = (
                part.view(B, T, DEFAULT.n_heads, -1).transpose(1, 2)
                for part in F.linear(x, qkv).chunk(3, dim=-1)
            )
            z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + F.linear(z.transpose(1, 2).reshape(B, T, -1), out)
        return x

    def part(self) -> None:
        for _ in range(BETWEEN):
            tokens, counted = map(torch.from_numpy, training_texts(DEFAULT, self.step))
            logits = self.stream(tokens[:, :-1])[counted[:, 1:]] @ self.unembedding.T
            self.optimizer.zero_grad()
            F.cross_entropy(logits, tokens[:, 1:][counted[:, 1:]]).backward()
            self.optimizer.step()
            self.step += 1


@contextmanager
def in_the_background(run: Endless) -> Iterator[Event]:
    """Train in a thread of its own, as for another visitor, whenever the event is set."""
    goes_on, ended = Event(), Event()

    def work() -> None:
        while not ended.is_set():
            if goes_on.wait(0.1):
                run.advance()

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        yield goes_on
    finally:
        ended.set()
        thread.join()
