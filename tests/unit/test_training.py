"""Runs: what they depend on, that they stop and go on, and what can be asked of their snapshots."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mha.module import MultiHeadAttention
from mha.scoring import (
    MIXED,
    induction_score,
    previous_token_score,
    pronoun_name_score,
    uniform_weights,
)
from mha.training import (
    TASKS,
    AttentionOnly,
    Run,
    Settings,
    Snapshot,
    group,
    heads_that,
    jobs,
    knock_out,
    labels,
    parse_text,
    patterns,
)
from mha.training.measure import N_SCORED, counted_losses, held_out
from mha.training.settings import MAX_BYTES, MAX_SNAPSHOTS
from mha.training.tasks import PRONOUN_OF
from mha.training.texts import training_texts, words
from tests.unit.says import says

EVERY = tuple(TASKS)
TINY = Settings(EVERY, n_layers=2, d_model=8, n_heads=2, T=16, batch=8, steps=6)

some = settings(deadline=None, max_examples=15)
tiny = st.builds(
    Settings,
    tasks=st.lists(st.sampled_from(EVERY), min_size=1, unique=True).map(tuple),
    n_layers=st.integers(1, 3),
    d_model=st.just(8),
    n_heads=st.sampled_from([1, 2, 4]),
    T=st.integers(8, 16),
    batch=st.integers(8, 12),
    steps=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def snapshot() -> Snapshot:
    """The end of a tiny run of all tasks, which has learned next to nothing."""
    return list(Run(TINY))[-1]


def same(ours: Snapshot, theirs: Snapshot) -> None:
    """Assert that two snapshots are the same to the bit."""
    assert ours.settings == theirs.settings
    assert ours.step == theirs.step
    assert ours.losses == theirs.losses
    for task, scores in ours.scores.items():
        for job, at in scores.items():
            assert np.array_equal(at, theirs.scores[task][job])
    for name, numbers in ours.parameters.items():
        assert np.array_equal(numbers, theirs.parameters[name]), name


# Settings


@given(
    steps=st.integers(1, 2000), d_model=st.sampled_from([4, 64, 128]), n_layers=st.integers(1, 4)
)
@settings(deadline=None)
@example(230, 4, 1)
@example(14, 128, 4)
def test_kept_steps_are_few_dense_where_jobs_appear_and_end_with_the_run(steps, d_model, n_layers):
    run = Settings(EVERY, d_model=d_model, n_layers=n_layers, steps=steps)
    kept = run.kept_steps
    assert kept[0] == 0
    assert kept[-1] == steps
    assert kept == tuple(sorted(set(kept)))
    assert len(kept) <= MAX_SNAPSHOTS
    assert len(kept) * 4 * run.n_parameters <= MAX_BYTES
    gaps = np.diff(kept)
    assert gaps.max() - gaps[-1] <= 1
    # Half of them in that quarter of the way, where steps are so many that two are never one.
    there = sum(steps / 8 <= step <= 3 * steps / 8 for step in kept)
    assert steps < 100 or there >= len(kept) / 2 - 1
    # All of them, where all fit into both bounds.
    fits = steps < MAX_SNAPSHOTS and (steps + 1) * 4 * run.n_parameters <= MAX_BYTES
    assert not fits or kept == tuple(range(steps + 1))


@given(tiny)
@some
def test_the_count_of_parameters_is_the_model_s(run):
    model = AttentionOnly(run)
    assert run.n_parameters == sum(p.numel() for p in model.parameters())
    assert len(run.vocabulary) == len(model.tokens) == len(model.unembedding)


def test_the_order_of_tasks_changes_nothing():
    assert Settings(EVERY[::-1]) == Settings(EVERY)
    assert Settings(["brackets", "copy"]).tasks == ("copy", "brackets")
    assert hash(Settings("copy")) == hash(Settings())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"tasks": ()},
            "tasks must be one or more of 'copy', 'brackets', 'pronouns', each once; "
            "got tasks=[]. Try tasks=('copy',).",
        ),
        (
            {"tasks": ("copy", "copy")},
            "tasks must be one or more of 'copy', 'brackets', 'pronouns', each once; "
            "got tasks=['copy', 'copy']. Try tasks=('copy',).",
        ),
        (
            {"tasks": "sorting"},
            "tasks must be one or more of 'copy', 'brackets', 'pronouns', each once; "
            "got tasks=['sorting']. Try tasks=('copy',).",
        ),
        ({"n_layers": 5}, "n_layers must be at most 4; got n_layers=5. Try n_layers=4."),
        (
            {"n_layers": 0},
            "n_layers must be a whole number of at least 1; got n_layers=0. Try n_layers=1.",
        ),
        ({"d_model": 192}, "d_model must be at most 128; got d_model=192. Try d_model=128."),
        ({"n_heads": 32}, "n_heads must be at most 16; got n_heads=32. Try n_heads=16."),
        (
            {"n_heads": 3},
            "d_model must be divisible by n_heads; got d_model=64, n_heads=3. Try n_heads=2 or 4.",
        ),
        ({"T": 7}, "T must be a whole number of at least 8; got T=7. Try T=8."),
        ({"T": 33}, "T must be at most 32; got T=33. Try T=32."),
        ({"batch": 4}, "batch must be a whole number of at least 8; got batch=4. Try batch=8."),
        ({"batch": 512}, "batch must be at most 256; got batch=512. Try batch=256."),
        ({"steps": 0}, "steps must be a whole number of at least 1; got steps=0. Try steps=1."),
        ({"steps": 2001}, "steps must be at most 2000; got steps=2001. Try steps=2000."),
        ({"seed": -1}, "seed must be a whole number of at least 0; got seed=-1. Try seed=0."),
        (
            {"seed": 2**32},
            "seed must be at most 4294967295; got seed=4294967296. Try seed=4294967295.",
        ),
        (
            {"learning_rate": 0.0},
            "learning_rate must be above 0 and at most 0.1; got learning_rate=0.0. "
            "Try learning_rate=0.003.",
        ),
        (
            {"learning_rate": 1},
            "learning_rate must be above 0 and at most 0.1; got learning_rate=1.0. "
            "Try learning_rate=0.003.",
        ),
        (
            {"learning_rate": float("nan")},
            "learning_rate must be a finite number; got learning_rate=nan. "
            "Try learning_rate=0.003.",
        ),
    ],
)
def test_settings_out_of_bounds_are_refused(given, message):
    with says(message):
        Settings(**given)


# The model


@given(tiny, st.integers(1, 8))
@some
def test_future_tokens_change_no_prediction(run, cut):
    tokens = torch.from_numpy(training_texts(run, 0).tokens)
    model = AttentionOnly(run).double()
    torch.testing.assert_close(model(tokens)[:, :cut], model(tokens[:, :cut]), rtol=0, atol=1e-12)


@given(tiny)
@some
def test_weights_are_those_that_the_forward_pass_uses(run):
    """Put back with values and W_O, layer by layer, they make the logits."""
    tokens = torch.from_numpy(training_texts(run, 0).tokens)
    model = AttentionOnly(run).double()
    weights = model.weights(tokens)
    B, T = tokens.shape
    assert weights.shape == (B, run.n_layers, run.n_heads, T, T)
    x = model.tokens[tokens] + model.positions[:T]
    for i, layer in enumerate(model.layers):
        values = layer.qkv(x)[..., -run.d_model :].unflatten(-1, (run.n_heads, -1))
        z = torch.einsum("bhqk,bkhd->bqhd", weights[:, i], values)
        x = x + layer.out(z.flatten(-2))
    torch.testing.assert_close(x @ model.unembedding.T, model(tokens), rtol=0, atol=1e-12)


def test_every_number_of_the_model_learns():
    """Gradient reaches every parameter, and every row of the tables that the texts use."""
    model = AttentionOnly(TINY)
    texts = training_texts(TINY, 0)
    tokens, counted = map(torch.from_numpy, texts)
    counted_losses(model, tokens, counted).mean().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad.abs().max() > 0, name
    assert (model.unembedding.grad.abs().amax(dim=1) > 0).all()
    # Nothing is predicted after the last token, and so its own vector and place learn nothing.
    read = tokens[:, :-1].unique()
    moved = (model.tokens.grad.abs().amax(dim=1) > 0).nonzero().flatten()
    assert set(moved.tolist()) <= set(read.tolist())
    assert (model.positions.grad[-1] == 0).all()


@given(tiny)
@some
def test_the_loss_reads_the_counted_tokens_and_no_other(run):
    model = AttentionOnly(run).double()
    tokens, counted = map(torch.from_numpy, training_texts(run, 1))
    losses = counted_losses(model, tokens, counted)
    logs = model(tokens).log_softmax(dim=-1)
    places = counted.nonzero().tolist()
    expected = [-logs[b, t - 1, tokens[b, t]].item() for b, t in places]
    np.testing.assert_allclose(losses.detach().numpy(), expected, rtol=0, atol=1e-12)


def test_a_seed_gives_the_same_model_and_touches_no_other_random_numbers():
    before = torch.get_rng_state()
    first, second, other = (AttentionOnly(Settings(seed=seed)) for seed in (3, 3, 4))
    assert torch.equal(torch.get_rng_state(), before)
    for name, numbers in first.state_dict().items():
        assert torch.equal(numbers, second.state_dict()[name])
        assert not torch.equal(numbers, other.state_dict()[name])
    assert not torch.equal(first.layers[0].qkv.weight, first.layers[1].qkv.weight)
    assert all(isinstance(layer, MultiHeadAttention) for layer in first.layers)


# The run


@given(tiny, st.data())
@settings(deadline=None, max_examples=8)
def test_a_run_that_was_stopped_and_resumed_is_the_unbroken_one_to_the_bit(run, data):
    unbroken = list(Run(run))
    assert [s.step for s in unbroken] == list(run.kept_steps)
    n = data.draw(st.integers(0, len(unbroken)))
    stopped = Run(run)
    first = list(islice(stopped, n))
    for _ in range(data.draw(st.integers(0, run.steps - stopped.step))):
        stopped.advance()  # stopped between two snapshots
    state = pickle.loads(pickle.dumps(stopped.state()))
    kept_past = [step for step in run.kept_steps[n:] if step < stopped.step]
    list(stopped)  # going on changes nothing of the state
    resumed = Run.resumed(state)
    rest = list(resumed)
    assert resumed.is_done
    if not kept_past:
        assert len(first) + len(rest) == len(unbroken)
        for ours, theirs in zip([*first, *rest], unbroken, strict=True):
            same(ours, theirs)
    same(rest[-1] if rest else first[-1], unbroken[-1])
    again = list(Run.resumed(state))
    assert len(again) == len(rest)
    for ours, theirs in zip(again, rest, strict=True):
        same(ours, theirs)


def test_iterating_again_goes_on_behind_the_last_snapshot():
    run = Run(TINY)
    steps = [next(iter(run)).step for _ in range(3)]
    assert [*steps, *(s.step for s in run)] == list(TINY.kept_steps)
    assert list(run) == []


def test_another_seed_is_another_run_and_the_same_seed_the_same():
    ours, theirs = (list(Run(TINY))[-1] for _ in range(2))
    same(ours, theirs)
    other = list(Run(replace(TINY, seed=1)))[-1]
    assert other.losses != ours.losses


def test_snapshots_share_no_memory_with_the_run():
    run = Run(TINY)
    first = next(iter(run))
    before = {name: numbers.copy() for name, numbers in first.parameters.items()}
    list(run)
    for name, numbers in first.parameters.items():
        assert np.array_equal(numbers, before[name])
    assert any(
        not np.array_equal(numbers, first.parameters[name])
        for name, numbers in run.snapshot().parameters.items()
    )


def test_a_run_has_no_step_after_its_last():
    run = Run(TINY)
    list(run)
    with says("a run has no step after its last; got step=6. Try Settings(steps=12)."):
        run.advance()


@pytest.mark.parametrize("task", TASKS)
def test_a_short_training_lowers_the_loss(task):
    snapshots = list(Run(Settings(task, d_model=32, T=16, batch=32, steps=80, learning_rate=0.01)))
    # Below that of a guess among all symbols.
    assert snapshots[-1].losses[task] < min(
        0.75 * snapshots[0].losses[task], np.log(len(TASKS[task].alphabet))
    )


@pytest.mark.parametrize(
    ("task", "most_nats", "job", "least"),
    [("pronouns", 0.1, "pronoun's name", 0.8), ("brackets", 0.25, None, None)],
)
def test_a_third_of_the_default_run_learns_its_task(task, most_nats, job, least):
    """Brackets are learned without a head that finds the matching one."""
    run = Run(Settings((task,)))
    while run.step < 250:
        run.advance()
    last = run.snapshot()
    assert last.losses[task] < most_nats
    if job is not None:
        assert last.scores[task][job][-1].max() > least


def test_every_task_learns_in_a_mixed_batch():
    run = Settings(EVERY, d_model=32, T=16, batch=16, steps=40, learning_rate=0.01)
    first, *_, last = Run(run)
    assert all(last.losses[task] < 0.9 * first.losses[task] for task in EVERY)


# What a snapshot tells


def test_losses_are_the_mean_over_counted_held_out_tokens(snapshot):
    texts, model = held_out(TINY.tasks, TINY.T), snapshot.model()
    for i, task in enumerate(TINY.tasks):
        losses = counted_losses(model, texts.tokens[i], texts.counted[i])
        assert snapshot.losses[task] == losses.mean().item()
        assert len(losses) == texts.counted[i].sum() > 0


def test_scores_are_the_means_of_each_text_s_score(snapshot):
    texts, model = held_out(TINY.tasks, TINY.T), snapshot.model()
    for i, task in enumerate(TINY.tasks):
        assert tuple(snapshot.scores[task]) == tuple(snapshot.uniform[task]) == jobs(task)
        tokens = texts.tokens[i, :N_SCORED]
        weights = model.weights(tokens).numpy()
        symbols = words(TINY, tokens.numpy())
        by_text = [previous_token_score(w) for w in weights]
        np.testing.assert_allclose(
            snapshot.scores[task]["previous token"], np.mean(by_text, axis=0), atol=1e-12
        )
        has_repeat = [len(set(text)) < TINY.T for text in symbols.tolist()]
        for scored, each in (
            (snapshot.scores[task], weights),
            (snapshot.uniform[task], np.broadcast_to(uniform_weights(TINY.T), weights.shape)),
        ):
            by_text = [induction_score(w, s) for w, s in zip(each, symbols, strict=True)]
            mean = np.sum(by_text, axis=0) / sum(has_repeat)
            np.testing.assert_allclose(mean, np.broadcast_to(scored["induction"], mean.shape))


def test_texts_in_which_a_job_has_no_query_have_no_say():
    run = Settings("pronouns", n_layers=1, d_model=8, n_heads=2, T=8)
    tokens = held_out(run.tasks, run.T).tokens[0, :N_SCORED]
    symbols = words(run, tokens.numpy())
    weights = Run(run).model.weights(tokens).numpy()
    pairs = zip(weights, symbols, strict=True)
    by_text = [pronoun_name_score(w, s, PRONOUN_OF) for w, s in pairs]
    has_query = [score.any() for score in by_text]
    assert 0 < sum(has_query) < len(has_query)
    scored = Run(run).snapshot().scores["pronouns"]["pronoun's name"]
    np.testing.assert_allclose(scored, np.sum(by_text, axis=0) / sum(has_query), atol=1e-12)


def test_each_task_has_its_own_jobs():
    assert jobs("copy") == (
        *("previous token", "same symbol", "induction", "first token", "itself"),
    )
    assert set(jobs("brackets")) - set(jobs("copy")) == {"matching bracket"}
    assert set(jobs("pronouns")) - set(jobs("copy")) == {"pronoun's name"}


def test_labels_name_a_job_of_the_task_or_none(snapshot):
    for task in EVERY:
        named = labels(snapshot, task)
        assert [len(row) for row in named] == [2, 2]
        assert {name for row in named for name in row} <= {*jobs(task), MIXED}


def test_patterns_are_the_weights_on_the_visitor_s_text(snapshot):
    found = patterns(snapshot, "ab([a])")
    assert found.symbols == tuple("ab([a])")
    assert found.weights.shape == (2, 2, 7, 7)
    np.testing.assert_allclose(found.weights.sum(-1), 1, atol=1e-6)
    assert not np.triu(found.weights, 1).any()
    tokens = torch.from_numpy(parse_text(TINY, "ab([a])"))[None]
    assert np.array_equal(found.weights, snapshot.model().weights(tokens)[0].numpy())
    with says("the text must have at most T=16 symbols; got more. Try its first 16."):
        patterns(snapshot, "a" * 17)


# Knock-outs


def test_to_knock_out_nothing_changes_nothing(snapshot):
    out = knock_out(snapshot, [])
    assert out.heads == ()
    assert out.losses == snapshot.losses
    assert out.rise == dict.fromkeys(EVERY, 0.0)


def test_a_layer_without_its_heads_is_no_layer(snapshot):
    model = snapshot.model()
    model.knock_out([(1, 0), (1, 1)])
    shorter = snapshot.model()
    del shorter.layers[1]
    tokens = torch.from_numpy(training_texts(TINY, 0).tokens)
    assert torch.equal(model(tokens), shorter(tokens))
    out = knock_out(snapshot, [(0, 0), (0, 1), (1, 0), (1, 1)])
    bare = snapshot.model()
    del bare.layers[:]
    texts = held_out(TINY.tasks, TINY.T)
    for i, task in enumerate(EVERY):
        losses = counted_losses(bare, texts.tokens[i], texts.counted[i])
        assert out.losses[task] == losses.mean().item()
        assert out.rise[task] == out.losses[task] - snapshot.losses[task]


@given(st.sets(st.tuples(st.integers(0, 1), st.integers(0, 1))))
@some
def test_a_knocked_out_head_s_z_is_zero_before_w_o(snapshot, heads):
    tokens = torch.from_numpy(training_texts(TINY, 0).tokens)
    model, hooked = snapshot.model(), snapshot.model()
    model.knock_out(heads)

    def zeroed(layer: int):
        def hook(_, given_to: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
            z = given_to[0].unflatten(-1, (2, 4)).clone()
            for head in (head for at, head in heads if at == layer):
                z[..., head, :] = 0
            return (z.flatten(-2),)

        return hook

    for i, layer in enumerate(hooked.layers):
        layer.out.register_forward_pre_hook(zeroed(i))
    torch.testing.assert_close(model(tokens), hooked(tokens), rtol=0, atol=1e-6)
    assert knock_out(snapshot, [*heads, *heads]).heads == tuple(sorted(heads))


def test_a_group_and_its_others_are_a_layer(snapshot):
    scores = snapshot.scores["copy"]["previous token"]
    between = float(scores[1].mean())
    found = group(snapshot, layer=1, over=between)
    assert len(found.members.heads) == len(found.others.heads) == 1
    assert {*found.members.heads, *found.others.heads} == {(1, 0), (1, 1)}
    member = found.members.heads[0]
    assert scores[member] > between
    assert found.members == knock_out(snapshot, [member])
    assert member in heads_that(snapshot, "copy", "previous token", between)
    nobody = group(snapshot, over=1.0)
    assert nobody.members.heads == ()
    assert nobody.others.heads == ((0, 0), (0, 1))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda s: knock_out(s, [(2, 0)]),
            "layer must be a whole number from 0 to 1; got layer=2. Try layer=1.",
        ),
        (
            lambda s: knock_out(s, [(0, -1)]),
            "head must be a whole number from 0 to 1; got head=-1. Try head=1.",
        ),
        (
            lambda s: group(s, layer=2),
            "layer must be a whole number from 0 to 1; got layer=2. Try layer=1.",
        ),
        (
            lambda s: labels(s, "sorting"),
            "task must be one of the run's, 'copy', 'brackets', 'pronouns'; got task='sorting'. "
            "Try task='copy'.",
        ),
        (
            lambda s: heads_that(s, "copy", "matching bracket"),
            "job must be one that heads are scored for on copy: 'previous token', 'same symbol', "
            "'induction', 'first token', 'itself'; got job='matching bracket'. "
            "Try job='previous token'.",
        ),
        (
            lambda s: heads_that(s, "copy", "itself", float("inf")),
            "over must be a finite number; got over=inf. Try over=0.3.",
        ),
    ],
)
def test_what_the_run_does_not_have_is_refused(snapshot, ask, message):
    with says(message):
        ask(snapshot)
