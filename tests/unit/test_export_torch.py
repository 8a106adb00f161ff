"""Exported scripts that need PyTorch print the app's numbers, where there is nothing of ours."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import numpy as np
import pytest
import torch

from mha.config import AttentionConfig
from mha.export.asked import KnockOut, Patterns
from mha.export.fused import fused_module
from mha.export.layout import split_and_merge
from mha.export.mask import mask_script
from mha.export.pitfall import pitfall
from mha.export.training import trained_heads
from mha.layout import misplaced, stages
from mha.mask_doctor import diagnose, read_mask
from mha.memory import merge_both_ways
from mha.module import MultiHeadAttention, embed
from mha.pitfalls import PITFALLS
from mha.scoring import label
from mha.sentence import Sentence
from mha.training import Run, Settings, heads_that, knock_out, patterns
from mha.training.ship import rounded
from mha.training_marks import head_name
from tests.unit.scripts import below, run
from tests.unit.test_export import LONG, PLAIN, all_scripts, packages, rows_of, without_words

ALL = slice(None)
# Words, sizes, whether causal, batch, seed, the step, and the parts of it that are shown.
FUSED = {
    "fused": (PLAIN, (32, 4), True, 1, 0, "weights", [("head 3", (0, 3, ALL, ALL))]),
    "fused_hostile": (
        *(LONG, (16, 8, 2), False, 2, 9999, "masked"),
        [("head 7", (1, 7, ALL, ALL))],
    ),
    "fused_one": (
        *(Sentence.parse("x"), (6, 3, 1, True), True, 2, 7, "qkv"),
        [("q of head 1", (1, ALL, slice(2, 4))), ("k of kv head 0", (1, ALL, slice(6, 8)))],
    ),
    "fused_by_token": (
        *(PLAIN, (8, 2), True, 1, 3, "z_by_token"),
        [("head 1", (0, ALL, 1, ALL)), ("head 0", (0, ALL, 0, ALL))],
    ),
    "fused_surrogate": (
        *(Sentence(("\ud800", "b"), (0, 0)), (4, 2), True, 1, 1, "out"),
        [("all columns", (0, ALL, ALL))],
    ),
}
SPLIT = {
    "split": (2, 6, 32, 4, None),
    "split_of_one_head": (1, 3, 4, 1, None),
    "split_no_transpose": (1, 5, 12, 3, "no transpose"),
    "split_merged": (2, 3, 8, 4, "merge without transpose"),
}
# A mask as it is typed, the type of its tensor, and the matrix that is shown.
MASKS = {
    "mask__": ("True False False\nTrue True False\nTrue True True", "bool", ()),
    "mask__top_left": ("[[0, -inf, -inf], [0, 0, -inf]]", "float", ()),
    "mask__upside_down": ("0 1\n0 0", "bool", ()),
    "mask__favours": ("1 0 0\n1 1 0", "float", ()),
    "mask__one_off": ("0 0 0\n1 0 0\n1 1 0", "bool", ()),
    "mask__refused": ("1 0\n1 1", "int", ()),
    "mask__widest": ("\n".join([" ".join(["-inf"] * 11 + ["0"])] * 12), "float", ()),
    "mask__a_sequence": (
        *("[[[0, 1, 1], [0, 0, 1], [0, 0, 0]], [[0, 1, 1], [1, 1, 1], [0, 1, 0]]]", "bool"),
        (1,),
    ),
    "mask__a_head": ("tensor([[[[True]], [[False]]]])", "bool", (0, 1)),
}
# What is trained, the steps that are shown, whether the run comes with the app, and what is asked.
SMALL = {"d_model": 8, "n_heads": 2, "batch": 8}
TRAINED = {
    "trained__": (Settings(("copy",), seed=7, steps=3, **SMALL), (0, 1, 3), False, None),
    "trained__off": (
        *(Settings(("copy", "brackets"), seed=2, steps=2, **SMALL), (0, 1, 2), False),
        KnockOut(1, ((0, 1), (1, 0), (0, 1)), ("brackets", "first token"), 0.1),
    ),
    "trained__off_alone": (
        *(Settings(seed=2, steps=1, **SMALL), (0, 1), False),
        KnockOut(1, ((1, 0),), None, 0.3),
    ),
    "trained__every_task": (
        *(Settings(("copy", "brackets", "pronouns"), 1, T=9, steps=5, **SMALL), (0, 2)),
        *(True, Patterns(0, ("a", "Ada", "(", "because", "."))),
    ),
}
# What is chosen is not always what a pitfall starts with.
CHOSEN = {key: {name: e.options[-1] for name, e in p.inputs.items()} for key, p in PITFALLS.items()}


def traced(sentence, sizes, causal, batch, seed):
    config = AttentionConfig(*sizes)
    module = MultiHeadAttention.seeded(config, seed)
    x = embed(sentence.tokens, config.d_model, seed=seed, batch=batch)
    with torch.no_grad():
        return config, module.trace(x, causal=causal)


def fused_script(sentence, sizes, causal, batch, seed, shown, panels):
    config, steps = traced(sentence, sizes, causal, batch, seed)
    how = {"causal": causal, "batch": batch, "seed": seed, "shown": shown, "panels": panels}
    return fused_module(sentence, config, steps, **how)


@pytest.fixture(scope="module")
def scripts():
    scripts = {name: fused_script(*scene) for name, scene in FUSED.items()}
    for name, (*sizes, mistake) in SPLIT.items():
        scripts[name] = split_and_merge(*sizes, mistake=mistake)
    for key, case in PITFALLS.items():
        scripts[f"pitfall__{key}"] = pitfall(case, CHOSEN[key])
    for name, (text, dtype, place) in MASKS.items():
        scripts[name] = mask_script(read_mask(text), dtype, place)
    for name, (what, steps, is_rounded, asked) in TRAINED.items():
        scripts[name] = trained_heads(what, steps, is_rounded=is_rounded, asked=asked)
    return scripts


@pytest.fixture(scope="module")
def printed(scripts, tmp_path_factory):
    sources = {name: script.source for name, script in scripts.items()}
    return run(sources, tmp_path_factory.mktemp("scripts"), "torch", "numpy")


@pytest.mark.parametrize("scene", FUSED)
def test_the_module_prints_every_step_and_the_shown_one_s_numbers(printed, scene):
    sentence, sizes, causal, batch, seed, shown, panels = FUSED[scene]
    _, steps = traced(sentence, sizes, causal, batch, seed)
    text = printed[scene].splitlines()
    for line, step in zip(text, steps, strict=False):
        order = "contiguous" if step.is_contiguous else "not contiguous"
        assert line == f"{step.name}: shape {step.shape}, strides {step.stride}, {order}"
    (tensor,) = [step.tensor.numpy() for step in steps if step.name == shown]
    hidden = None
    if shown in ("weights", "masked"):
        T = len(sentence)
        hidden = ~np.tri(T, dtype=bool) if causal else np.zeros((T, T), bool)
    for title, where in panels:
        expected = rows_of(tensor[where], hidden)
        told = below(printed[scene], f"{shown}, {title}", len(expected))
        assert [words[: len(expected[0])] for words in told] == expected


@pytest.mark.parametrize("scene", FUSED)
def test_the_module_equals_torch_s_own(printed, scene):
    differences = re.findall(r"largest difference in the \w+: (\S+)", printed[scene])
    assert len(differences) == 2
    assert all(float(difference) <= 1e-5 for difference in differences)


@pytest.mark.parametrize("name", SPLIT)
def test_split_and_merge_print_every_stage(printed, name):
    *sizes, mistake = SPLIT[name]
    B, T, _, h = sizes
    ways = printed[name].split("the right way\n")
    assert len(ways) == 2
    for text, way in zip(ways, (mistake, None), strict=True):
        if way is None and text == "":
            continue
        steps = stages(*sizes, mistake=way)
        told = re.findall(r"(.+): shape (.+), strides (.+), (.+)\n  first: (.+)", text)
        for (stage, shape, strides, memory, first), step in zip(told, steps, strict=True):
            assert stage == step.name
            assert (ast.literal_eval(shape), ast.literal_eval(strides)) == (
                step.shape,
                step.strides,
            )
            assert memory == ("copied into new memory" if step.copied else "memory as it was")
            tensor = np.empty(step.shape, int)
            tensor[tuple(step.index.T)] = np.arange(len(step.index))
            assert ast.literal_eval(first) == tensor[0, 0].tolist()
        wrong = int(misplaced(steps[-1]).sum())
        N = len(steps[-1].index)
        last = f"{wrong:,} of {N:,} numbers in the wrong place" if wrong else "equal to x"
        assert text.splitlines()[-1] == last
    error, *_ = merge_both_ways(B, T, h, sizes[2] // h)
    refused = re.findall(r"\.view raises: (.+)", printed[name])
    assert refused == ([] if error is None else [error])


@pytest.mark.parametrize("key", PITFALLS)
def test_a_pitfall_prints_both_answers_and_how_one_would_notice(printed, key):
    outcome = PITFALLS[key].run(**CHOSEN[key])
    text = printed[f"pitfall__{key}"]
    for name, other, answer in (("wrong", "right", outcome.wrong), ("right", None, outcome.right)):
        shown = text.split(f"{name}\n", 1)[1].split(f"\n{other}\n" if other else "\0")[0]
        if answer.error is not None:
            assert shown.startswith(answer.error)
    if outcome.differs is not None:
        assert f"{outcome.n_differ} of {outcome.differs.size} numbers differ" in text
    elif outcome.wrong.error is None and outcome.right.error is None:
        shapes = f"{outcome.wrong.values.shape} and {outcome.right.values.shape}"
        assert f"the shapes differ: {shapes}" in text
    assert "found by the check: " in text


@pytest.mark.parametrize("key", ["bare_view", "averaged_heads", "upside_down", "dropout_shown"])
def test_a_pitfall_prints_the_very_numbers(printed, key):
    outcome = PITFALLS[key].run(**CHOSEN[key])
    told = printed[f"pitfall__{key}"].split("right\n", 1)[0].split("wrong\n", 1)[1]
    found = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[+-]\d+)?", told)]
    np.testing.assert_allclose(found, outcome.wrong.values.ravel(), atol=5.1e-5)


@pytest.fixture
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", TRAINED)
def test_a_run_is_trained_anew_to_the_bit(printed, name, one_thread):
    settings, steps, is_rounded, asked = TRAINED[name]
    shots = [shot for shot in Run(settings) if shot.step in steps]
    if is_rounded:
        shots = [rounded(shot) for shot in shots]
    text = printed[name].splitlines()
    for line, shot in zip(text, shots, strict=False):
        losses = " ".join(f"{task} {loss:.6f}" for task, loss in shot.losses.items())
        assert line == f"step {shot.step}, loss: {losses}"
    last, told = shots[-1], text[len(shots) :]
    heads = list(np.ndindex(settings.n_layers, settings.n_heads))
    for task, by_job in last.scores.items():
        for job in by_job:
            blank, title, header, *rows = told[: 3 + len(heads)]
            told = told[3 + len(heads) :]
            assert not blank
            even = last.uniform[task][job]
            assert title == f"{task}, {job}: a head that looks evenly scores {even:.3f}"
            assert header.split() == ["step", *map(str, steps)]
            for row, at in zip(rows, heads, strict=True):
                does = label({j: float(s[at]) for j, s in by_job.items()}, last.uniform[task])
                scores = [f"{shot.scores[task][job][at]:.3f}" for shot in shots]
                assert row.split(maxsplit=1 + len(steps)) == [head_name(*at), *scores, does]
    (shot,) = [shot for shot in shots if asked and shot.step == asked.step] or [None]
    match asked:
        case KnockOut():
            assert told == ["", *losses_told(shot, asked)]
        case Patterns():
            assert told == patterns_told(shot, asked.text)
        case None:
            assert not told


def losses_told(shot, asked):
    """What is printed of heads that are turned off, as `knock_out` has it."""
    yield f"at step {shot.step}: loss, and how far it rises"
    off = {*asked.heads, *(heads_that(shot, *asked.job, over=asked.over) if asked.job else ())}
    layers = {layer for layer, _ in off}
    every = np.ndindex(shot.settings.n_layers, shot.settings.n_heads)
    others = [head for head in every if head[0] in layers and head not in off]
    alone = [[head] for head in sorted(off)] if len(off) > 1 else []
    for some in [[], *filter(None, [sorted(off), *alone, others])]:
        found = knock_out(shot, some)
        names = " ".join(head_name(*head) for head in some) or "nothing"
        losses = (f"{t} {loss:.6f} {found.rise[t]:+.6f}" for t, loss in found.losses.items())
        yield f"without {names}: {' '.join(losses)}"


def patterns_told(shot, text):
    """What is printed of every head on a text, as `patterns` has it."""
    symbols, weights = patterns(shot, " ".join(text))
    assert symbols == text
    lines = []
    for at in np.ndindex(weights.shape[:2]):
        lines += ["", f"{head_name(*at)} at step {shot.step}, a row for each symbol that looks"]
        for symbol, row in zip(symbols, weights[at], strict=True):
            lines.append(" ".join(f"{weight:.2f}" for weight in row) + f"  {symbol}")
    return lines


def test_heads_that_do_a_job_are_turned_off_with_those_that_were_chosen(printed):
    rows = [line for line in printed["trained__off"].splitlines() if line.startswith("without ")]
    assert rows[0].startswith("without nothing: ")
    assert len(rows) > 4


def facts(printed, function):
    """What is printed of each matrix as one function reads it, by the matrix's place."""
    _, _, rest = printed.partition(f"{function}: ")
    matrix = (
        r"  matrix (.+): .+\n    later keys that are seen, \[query, key\]: (.+)\n"
        r"    earlier keys that are hidden: (.+)\n    queries that see nothing: (.+)\n"
    )
    read = re.match(rf".+\n((?:{matrix})+)", rest)
    return {
        ast.literal_eval(place): [ast.literal_eval(one) for one in lists]
        for place, *lists in re.findall(matrix, read[1] if read else "")
    }


@pytest.mark.parametrize("name", MASKS)
def test_a_mask_prints_what_each_function_sees_by_it_and_the_weights(printed, name):
    text, dtype, shown = MASKS[name]
    mask = read_mask(text)
    for place in mask.places:
        diagnosis = diagnose(mask, dtype=dtype, place=place)
        for reading in (diagnosis.sdpa, diagnosis.module):
            told = facts(printed[name], reading.function)
            if reading.sees is None:
                assert not told
                assert f"{reading.function} refuses it: {reading.error}\n" in printed[name]
                continue
            ahead, behind, empty = told[place]
            queries, keys = np.indices(reading.sees.shape)
            is_later = keys - queries > keys.shape[1] - keys.shape[0]
            assert ahead == np.argwhere(reading.sees & is_later).tolist()
            assert behind == np.argwhere(~reading.sees & ~is_later).tolist()
            assert (len(ahead), len(behind)) == (reading.seen_ahead, reading.hidden_behind)
            assert empty == [q for q, sees in enumerate(reading.sees) if not sees.any()]
            if place == shown:
                title = f"weights of {reading.function}, a row for each query"
                expected = [[f"{weight:.4f}" for weight in row] for row in reading.weights]
                assert below(printed[name], title, len(expected)) == expected


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("mask__", "a triangle, up to diagonal 0; the causal mask ends at 0"),
        ("mask__top_left", "a triangle, up to diagonal 0; the causal mask ends at 1"),
        ("mask__one_off", "a triangle, up to diagonal -1; the causal mask ends at 0"),
        (
            "mask__upside_down",
            "a triangle, upside down, up to diagonal 0; the causal mask ends at 0",
        ),
        ("mask__widest", "no triangle"),
    ],
)
def test_a_mask_prints_which_triangle_it_is(printed, name, shape):
    rest = printed[name].partition("scaled_dot_product_attention: ")[2]
    assert rest.splitlines()[1] == f"  matrix (): {shape}"


@pytest.mark.parametrize("name", MASKS)
def test_the_mask_of_a_script_is_the_mask(scripts, name):
    (tensor,) = [
        node.value
        for node in ast.parse(scripts[name].source).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "mask"
    ]
    values = np.array(eval(ast.unparse(tensor.args[0]), {"inf": np.inf}), dtype=float)
    np.testing.assert_array_equal(values, read_mask(MASKS[name][0]).values)


def test_no_word_becomes_a_line_of_the_module_s_script():
    plain = Sentence(tuple(f"é{i}" for i in range(len(LONG))), LONG.categories)
    _, *how = FUSED["fused_hostile"]
    one, other = fused_script(LONG, *how), fused_script(plain, *how)
    assert without_words(one.source) == without_words(other.source)


def test_a_script_imports_torch_and_what_python_has(scripts):
    for name, script in scripts.items():
        # Characters as a reader sees them are counted by a package of that name.
        more = {"regex"} if name == "pitfall__character_count" else set()
        assert packages(script.source) - sys.stdlib_module_names <= {"torch", "numpy"} | more


def test_scripts_read_as_our_own_code_does(scripts, tmp_path):
    every = scripts | all_scripts()
    for name, script in every.items():
        tmp_path.joinpath(f"{name}.py").write_text(script.source, "utf-8")
    ruff, how = [sys.executable, "-m", "ruff"], ["--isolated", "--config", "line-length = 100"]
    # As many words of a long list stand in a line as fit, not one.
    short = [tmp_path / f"{name}.py" for name in every if "hostile" not in name]
    for command in (["check", "--select", "E,F,W,I", tmp_path], ["format", "--check", *short]):
        done = subprocess.run([*ruff, *command, *how], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
