"""A run of training as a script: the same texts, model and optimizer, and so the same numbers.

What draws texts and what scores heads is the app's own source; the model and the loop are written
out here, since theirs are taken apart for pages that stop a run and go on with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mha import scoring
from mha.export.asked import KnockOut, Patterns
from mha.export.literals import assigned, literal
from mha.export.script import Cell, Script, opening
from mha.export.source import bundle
from mha.training import TASKS, Settings, jobs
from mha.training.settings import MARGIN
from mha.training.tasks import BRACKET, FIRST, INDUCTION, ITSELF, NAME, PREVIOUS, SAME
from mha.training.texts import HELD_OUT, TRAINING

_SAYS = """
    x      = tokens' vectors + positions' vectors          (B, T, C)
    x      = x + attention(x), once for each layer         (B, T, C), the residual stream
    logits = x U^T                                         (B, T, V), V symbols

    score  = mean over the queries that have a target of the weight on their targets

Nobody tells a head what to do: it takes up a job because that makes the loss smaller. Losses are in
nats for a counted token of texts that training never reads; scores lie between 0 and 1."""
_OF_THE_APP = """

The run that comes with the app was rounded to 16 bits at each of these steps before it was
measured, and so is this one."""
_SAME = """

The same seed gives the same numbers to the bit on one machine, with one thread and one version of
PyTorch; others round otherwise, and after some hundred steps numbers are alike, not the same."""

# By job, where it would have the queries of some texts look, and what that needs.
_TARGETS = {
    PREVIOUS: ("lambda texts: previous_token_targets(T)", scoring.previous_token_targets),
    SAME: ("duplicate_token_targets", scoring.duplicate_token_targets),
    INDUCTION: ("induction_targets", scoring.induction_targets),
    BRACKET: (
        "lambda texts: matching_bracket_targets(texts, CLOSING)",
        scoring.matching_bracket_targets,
    ),
    NAME: ("lambda texts: pronoun_name_targets(texts, PRONOUN_OF)", scoring.pronoun_name_targets),
    FIRST: ("lambda texts: first_token_targets(T)", scoring.first_token_targets),
    ITSELF: ("lambda texts: self_targets(T)", scoring.self_targets),
}
_ALPHABETS = {
    "copy": "SYMBOLS",
    "brackets": "[*CLOSING, *CLOSING.values()]",
    "pronouns": "pronoun_words()",
}

_DRAW = '''\
def draw(seed, stream, B, T):
    """Tokens and what is counted of them, B texts of each task; tokens are places in `symbols`."""
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=stream))
    drawn, first = [], 0
    for alphabet, sample in languages.values():
        tokens, counted = sample(generator, B, T)
        drawn.append((tokens + first, counted))
        first += len(alphabet)
    return [torch.from_numpy(np.concatenate(part)) for part in zip(*drawn, strict=True)]'''

_MODEL = '''\
class Attention(nn.Module):
    """Causal self-attention of h heads."""

    def __init__(self, C, h, seed):
        super().__init__()
        self.h = h
        self.qkv = nn.Linear(C, 3 * C, bias=False)
        self.out = nn.Linear(C, C, bias=False)
        generator = torch.Generator().manual_seed(seed)
        bound = 1 / math.sqrt(C)
        for parameter in self.parameters():
            nn.init.uniform_(parameter, -bound, bound, generator=generator)

    def split(self, x):
        """Queries, keys and values of every head: (B, h, T, d_head) each."""
        by_head = (*x.shape[:2], self.h, -1)
        return [part.view(by_head).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1)]

    def merge(self, z):
        return self.out(z.transpose(1, 2).flatten(2))

    def forward(self, x):
        q, k, v = self.split(x)
        return self.merge(F.scaled_dot_product_attention(q, k, v, is_causal=True))

    def look(self, x):
        """The weights (B, h, T, T), whose rows sum to 1, and the output (B, T, C)."""
        q, k, v = self.split(x)
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])
        future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        return weights, self.merge(weights @ v)


class AttentionOnly(nn.Module):
    """Vectors for symbols and positions, and layers of attention; no MLP, no normalisation."""

    def __init__(self, V, T, C, h, n_layers, seed):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.tokens = nn.Parameter(torch.randn(V, C, generator=generator))
        self.positions = nn.Parameter(torch.randn(T, C, generator=generator))
        self.unembedding = nn.Parameter(torch.randn(V, C, generator=generator) / C**0.5)
        seeds = torch.randint(2**31, (n_layers,), generator=generator).tolist()
        self.layers = nn.ModuleList(Attention(C, h, seed) for seed in seeds)

    def stream(self, tokens):
        """The residual stream (B, T, C) after the last layer."""
        x = self.tokens[tokens] + self.positions[: tokens.shape[1]]
        for layer in self.layers:
            x = x + layer(x)
        return x

    def weights(self, tokens):
        """The weights (B, n_layers, h, T, T) of every head."""
        x = self.tokens[tokens] + self.positions[: tokens.shape[1]]
        kept = []
        for layer in self.layers:
            weights, out = layer.look(x)
            kept.append(weights)
            x = x + out
        return torch.stack(kept, dim=1)'''

_TEXTS = """\
tokens, counted = draw(0, (HELD_OUT,), N_HELD_OUT, T)  # alike for all seeds, to compare runs by
parts = zip(tokens.split(N_HELD_OUT), counted.split(N_HELD_OUT), strict=True)
held_out = dict(zip(languages, parts, strict=True))
symbols = np.array([symbol for alphabet, _ in languages.values() for symbol in alphabet])
targets = {}  # by task and job, (N_SCORED, 1, 1, T, T), to go with a model's weights
for task, (tokens, _) in held_out.items():
    texts, shape = symbols[tokens[:N_SCORED]], (N_SCORED, T, T)
    wanted = {job: np.broadcast_to(looks_at[job](texts), shape) for job in jobs[task]}
    targets[task] = {job: where[:, None, None] for job, where in wanted.items()}"""

_MEASURE = '''\
@torch.no_grad()
def measure(model):
    """By task: the loss, and by job the scores (n_layers, h) of all heads."""
    found = {}
    for task, (tokens, counted) in held_out.items():
        loss = float(counted_losses(model, tokens, counted).mean())
        weights = model.weights(tokens[:N_SCORED]).numpy().astype(np.float64)
        scores = {job: mean_score(weights, wanted) for job, wanted in targets[task].items()}
        found[task] = loss, scores
    return found'''

_ROUND = '''\
def rounded(model):
    """A copy with its numbers rounded to float16, as they are kept in the app."""
    kept = copy.deepcopy(model)
    with torch.no_grad():
        for parameter in kept.parameters():
            parameter.copy_(parameter.half())
    return kept'''

_TRAIN = """\
model = AttentionOnly(len(symbols), T + MARGIN, C, h, n_layers, seed)
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, fused=True)
readings = {}
for step in range(measured_at[-1] + 1):
    if step in measured_at:
        readings[step] = measure(MODEL)
        losses = (f"{task} {loss:.6f}" for task, (loss, _) in readings[step].items())
        print(f"step {step}, loss:", *losses, flush=True)
    if step == measured_at[-1]:
        break
    # Texts by the seed and the step alone. They are a little longer than those that are measured:
    # nothing is ever copied from a text's last places, so that heads do not learn to be there.
    tokens, counted = draw(seed, (TRAINING, step), batch, T + MARGIN)
    losses = counted_losses(model, tokens, counted)
    by_task = losses.split(counted.view(len(languages), -1).sum(dim=1).tolist())
    # A small batch may hold nothing to count of a task; it then has no say in this step.
    loss = torch.stack([part.mean() for part in by_task if len(part)]).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()"""

_LAST = "    if step == measured_at[-1]:\n"

_SHOW = """\
heads = list(np.ndindex(n_layers, h))
for task in languages:
    wanted, last = targets[task], readings[measured_at[-1]][task][1]
    uniform = {job: mean_score(uniform_weights(T), where).item() for job, where in wanted.items()}
    names = [label({job: at[head] for job, at in last.items()}, uniform) for head in heads]
    for job in jobs[task]:
        print(f"\\n{task}, {job}: a head that looks evenly scores {uniform[job]:.3f}")
        print(" step", *(f"{step:5}" for step in measured_at))
        for (layer, head), name in zip(heads, names, strict=True):
            scores = (readings[step][task][1][job][layer, head] for step in measured_at)
            print(f"L{layer}H{head} ", *(f"{score:.3f}" for score in scores), f" {name}")"""


def trained_heads(
    settings: Settings,
    measured_at: Sequence[int],
    *,
    is_rounded: bool,
    asked: Patterns | KnockOut | None = None,
) -> Script:
    """A run from its first weights on, the losses and every head's scores at some of its steps.

    Args:
        measured_at: the steps, in order; the last is where the run has come to.
        is_rounded: whether the model is rounded to float16 to be measured, as runs are that come
            with the app.
        asked: what more is asked of the model, at one of those steps.
    """
    from mha.training.measure import N_HELD_OUT, N_SCORED, counted_losses, mean_score

    by_task = {task: jobs(task) for task in settings.tasks}
    scored = [job for job in _TARGETS if any(job in of_task for of_task in by_task.values())]
    texts = bundle(*(TASKS[task].sample for task in settings.tasks))
    targets = (_TARGETS[job][1] for job in scored)
    judging = bundle(*targets, mean_score, scoring.uniform_weights, scoring.label)
    learning = bundle(counted_losses)
    imports = {*texts.imports, *judging.imports, *learning.imports}
    imports |= {"import math", "import numpy as np", "import torch", "from torch import nn"}
    if is_rounded or asked is not None:
        imports.add("import copy")
    train = _TRAIN.replace("MODEL", "rounded(model)" if is_rounded else "model")
    if asked is not None:
        kept = "rounded(model)" if is_rounded else "copy.deepcopy(model)"
        keep = f"    if step == {asked.step}:\n        kept = {kept}\n"
        train = train.replace(_LAST, keep + _LAST)
    return Script(
        (
            opening(
                "Heads that learn their jobs",
                _SAYS + (_OF_THE_APP if is_rounded else "") + _SAME,
                imports,
            ),
            Cell("What is trained", _settings(settings, measured_at, N_HELD_OUT, N_SCORED)),
            Cell("Texts", f"{texts.code}\n\n\n{_languages(settings)}\n\n\n{_DRAW}"),
            Cell("The model", f"{_MODEL}\n\n\n{learning.code}"),
            Cell(
                "What heads are scored for",
                f"{judging.code}\n\n\n{_jobs(settings.tasks, scored)}\n\n{_TEXTS}",
            ),
            Cell("Measuring", f"{_MEASURE}\n\n\n{_ROUND}" if is_rounded else _MEASURE),
            Cell("Training", train),
            Cell("What each head does", _SHOW),
            *([] if asked is None else [asked.cell]),
        )
    )


def _settings(
    settings: Settings, measured_at: Sequence[int], n_held_out: int, n_scored: int
) -> str:
    """What the run depends on, and where it is measured."""
    return "\n".join(
        [
            f"n_layers, C, h = {settings.n_layers}, {settings.d_model}, {settings.n_heads}",
            f"seed = {settings.seed}  # of the first weights and of the texts",
            f"learning_rate = {settings.learning_rate}",
            f"batch = {settings.batch}  # texts of each task in a step",
            f"T, MARGIN = {settings.T}, {MARGIN}  # tokens of a text; and more in training",
            f"N_HELD_OUT, N_SCORED = {n_held_out}, {n_scored}  # texts of each task to measure by",
            f"TRAINING, HELD_OUT = {TRAINING}, {HELD_OUT}  # streams of random numbers",
            "# Steps; the run ends at the last.",
            assigned("measured_at", list(measured_at)),
            "torch.set_num_threads(1)  # quickest for so small a model, and the same to the bit",
        ]
    )


def _languages(settings: Settings) -> str:
    """The alphabet of each task and what draws its texts, by name; and what its heads may do."""
    lines = [
        f"    {literal(task)}: ({_ALPHABETS[task]}, {TASKS[task].sample.__name__}),"
        for task in settings.tasks
    ]
    return "\n".join(["languages = {", *lines, "}"])


def _jobs(tasks: Sequence[str], scored: Sequence[str]) -> str:
    """The jobs of each task, and where each looks."""
    lines = ["jobs = {"]
    for task in tasks:
        lines += [
            f"    {literal(task)}: [",
            *(f"        {literal(job)}," for job in jobs(task)),
            "    ],",
        ]
    lines += ["}", "looks_at = {"]
    lines += [f"    {literal(job)}: {_TARGETS[job][0]}," for job in scored]
    return "\n".join([*lines, "}"])
