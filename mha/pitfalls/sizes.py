"""Mistakes with the sizes of a layer: what its heads cost, and how large each of them is.

The functions are written as people write them, without types, since their source is shown.
"""

from __future__ import annotations

from typing import Any

from torch import nn

from mha.models import MODELS
from mha.pitfalls.case import Input, Pitfall

# What more heads cost


def count_parameters_wrong(d_model, heads, bias):
    counts = []
    for n_heads in heads:
        d_head = 64
        qkv = nn.Linear(d_model, 3 * n_heads * d_head, bias, device="meta")
        out = nn.Linear(n_heads * d_head, d_model, bias, device="meta")
        counts.append(sum(p.numel() for p in (*qkv.parameters(), *out.parameters())))
    return counts


def count_parameters_right(d_model, heads, bias):
    counts = []
    for n_heads in heads:
        d_head = d_model // n_heads
        qkv = nn.Linear(d_model, 3 * n_heads * d_head, bias, device="meta")
        out = nn.Linear(n_heads * d_head, d_model, bias, device="meta")
        counts.append(sum(p.numel() for p in (*qkv.parameters(), *out.parameters())))
    return counts


def check_count_parameters(count_parameters):
    counts = count_parameters(512, (1, 8, 64), bias=False)
    assert len(set(counts)) == 1, "with d_head = d_model / h, the number of heads cancels out"


def _three_head_counts(d_model: int, bias: bool) -> dict[str, Any]:
    return {"d_model": d_model, "heads": (1, 8, 64), "bias": bias}


# A width that the heads do not divide


def sizes_of_heads_wrong(d_model, n_heads):
    d_head = d_model // n_heads
    return [d_head, n_heads * d_head]


def sizes_of_heads_right(d_model, n_heads):
    d_head = d_model // n_heads
    if n_heads * d_head != d_model:
        divisors = [n for n in range(1, d_model + 1) if d_model % n == 0]
        below = [n for n in divisors if n < n_heads][-1:]
        above = [n for n in divisors if n > n_heads][:1]
        raise ValueError(
            f"d_model must be divisible by n_heads; got {d_model=}, {n_heads=}. "
            f"Try n_heads={' or '.join(map(str, below + above))}."
        )
    return [d_head, n_heads * d_head]


def check_sizes_of_heads(sizes_of_heads):
    try:
        sizes_of_heads(10, 3)
        message = "none"
    except ValueError as error:
        message = str(error)
    named = all(number in message for number in ("10", "3", "2 or 5"))
    assert named, f"an error must name both sizes and what works; got {message}"


# A head size that is guessed


def size_of_head_wrong(config):
    d_head = config["hidden_size"] // config["num_attention_heads"]
    return [d_head, 2 * d_head * 2]  # key and value, two bytes a number


def size_of_head_right(config):
    d_head = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    return [d_head, 2 * d_head * 2]  # key and value, two bytes a number


def check_size_of_head(size_of_head):
    config = {"hidden_size": 5120, "num_attention_heads": 32, "head_dim": 128}
    q_proj = nn.Linear(5120, 4096, bias=False, device="meta")  # as the checkpoint has it
    assert size_of_head(config)[0] * 32 == q_proj.out_features, "the weights know the head size"


def _published(model: str) -> dict[str, Any]:
    row = MODELS[model]
    sizes = {"hidden_size": row.d_model, "num_attention_heads": row.n_heads}
    return {"config": sizes | {"head_dim": row.d_head}}


# Heads in a list


def count_heads_wrong(d_model, n_heads):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            d_head = d_model // n_heads
            self.heads = [nn.Linear(d_model, 3 * d_head, bias=False) for _ in range(n_heads)]
            self.out = nn.Linear(d_model, d_model, bias=False)

    return [sum(p.numel() for p in Attention().parameters())]


def count_heads_right(d_model, n_heads):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            d_head = d_model // n_heads
            heads = [nn.Linear(d_model, 3 * d_head, bias=False) for _ in range(n_heads)]
            self.heads = nn.ModuleList(heads)
            self.out = nn.Linear(d_model, d_model, bias=False)

    return [sum(p.numel() for p in Attention().parameters())]


def check_count_heads(count_heads):
    assert count_heads(32, 4) == [4 * 32 * 32], "q, k, v and the output, a square each"


def _heads_of_eight(n_heads: int) -> dict[str, Any]:
    return {"d_model": 8 * n_heads, "n_heads": n_heads}


SIZES = (
    Pitfall(
        key="cost_of_heads",
        name="What more heads cost",
        topic="sizes",
        number=3,
        task="Count the numbers that layers of one width d_model learn, if 1, 8 or 64 heads share "
        "it.",
        sentence="More heads cost more only where the head size is fixed on its own, as by "
        "Keras's key_dim; with d_model / h they cost nothing. Count the parameters to see which.",
        wrong=count_parameters_wrong,
        right=count_parameters_right,
        arguments=_three_head_counts,
        inputs={
            "d_model": Input("width d_model", 512, (64, 128, 256, 512, 1024)),
            "bias": Input("bias", False, (False, True)),
        },
        check=check_count_parameters,
        axes=("1, 8 and 64 heads",),
        report="https://github.com/keras-team/keras/issues/18373",
        page="parameters",
    ),
    Pitfall(
        key="not_divisible",
        name="A width that the heads do not divide",
        topic="sizes",
        number=2,
        task="Share a width d_model out among h heads: how many numbers has each, and how many "
        "have all of them?",
        sentence="Rounded down, the heads leave the last numbers of every token unread and "
        "nothing is raised; a good error names both sizes and the nearest that work.",
        wrong=sizes_of_heads_wrong,
        right=sizes_of_heads_right,
        arguments=lambda d_model, n_heads: {"d_model": d_model, "n_heads": n_heads},
        inputs={
            "d_model": Input("width d_model", 10, (10, 12, 64, 512, 768, 1600)),
            "n_heads": Input("heads h", 3, (1, 2, 3, 5, 8, 12, 25, 48)),
        },
        check=check_sizes_of_heads,
        axes=("d_head, h * d_head",),
        report="https://github.com/pytorch/pytorch/issues/28719",
        page="parameters",
    ),
    Pitfall(
        key="guessed_head_size",
        name="A head size that is guessed",
        topic="sizes",
        number=21,
        task="Read the head size out of a published configuration, and the bytes of a head's key "
        "and value at 16 bits.",
        sentence="Many models choose d_head on its own, so d_model / h is wrong for them, and "
        "with it the memory of their cache; the rows of the query weights tell.",
        wrong=size_of_head_wrong,
        right=size_of_head_right,
        arguments=_published,
        inputs={
            "model": Input(
                "model",
                "mistral-small-24b",
                ("mistral-small-24b", "gemma-7b", "gemma-2-9b", "qwen3-32b", "gpt2", "llama-3-8b"),
            )
        },
        check=check_size_of_head,
        axes=("d_head, bytes a head, token and layer",),
        report="https://github.com/LMCache/LMCache/issues/688",
        page="real_models",
    ),
    Pitfall(
        key="heads_in_a_list",
        name="Heads in a Python list",
        topic="sizes",
        number=13,
        task="Count the parameters of a module that has some heads and an output layer.",
        sentence="A module does not look into a list, so its heads are in no `parameters()`, are "
        "never trained, saved or moved, and nothing is raised; the count is too small.",
        wrong=count_heads_wrong,
        right=count_heads_right,
        arguments=_heads_of_eight,
        inputs={"n_heads": Input("heads h of 8 numbers", 4, range(1, 9))},
        check=check_count_heads,
        axes=("parameters",),
        report="https://github.com/pytorch/pytorch/issues/715",
        page="parameters",
    ),
)
