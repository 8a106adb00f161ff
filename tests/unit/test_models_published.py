"""The rows of real models against figures that others published: sizes, parameters and caches."""

from __future__ import annotations

import pytest

from mha.models import MODELS

# Every model's sizes once more, read a second time, where possible in another place.
SECOND_READING = """
    name                  C     h  h_kv d_head    L
    transformer-base     512     8     8    64     6
    transformer-big     1024    16    16    64     6
    bert-base            768    12    12    64    12
    bert-large          1024    16    16    64    24
    gpt2                 768    12    12    64    12
    gpt2-medium         1024    16    16    64    24
    gpt2-large          1280    20    20    64    36
    gpt2-xl             1600    25    25    64    48
    t5-small             512     8     8    64     6
    t5-3b               1024    32    32   128    24
    t5-11b              1024   128   128   128    24
    gpt3               12288    96    96   128    96
    gpt-j-6b            4096    16    16   256    28
    gpt-neox-20b        6144    64    64    96    44
    opt-125m             768    12    12    64    12
    opt-175b           12288    96    96   128    96
    bloom              14336   112   112   128    70
    pythia-70m           512     8     8    64     6
    pythia-1b           2048     8     8   256    16
    pythia-12b          5120    40    40   128    36
    llama-7b            4096    32    32   128    32
    llama-65b           8192    64    64   128    80
    llama-2-7b          4096    32    32   128    32
    llama-2-13b         5120    40    40   128    40
    llama-2-70b         8192    64     8   128    80
    falcon-7b           4544    71     1    64    32
    falcon-40b          8192   128     8    64    60
    falcon-180b        14848   232     8    64    80
    starcoder           6144    48     1   128    40
    mistral-7b          4096    32     8   128    32
    mixtral-8x7b        4096    32     8   128    32
    mixtral-8x22b       6144    48     8   128    56
    phi-2               2560    32    32    80    32
    phi-3-mini          3072    32    32    96    32
    phi-4               5120    40    10   128    40
    llama-3-8b          4096    32     8   128    32
    llama-3-70b         8192    64     8   128    80
    llama-3.1-405b     16384   128     8   128   126
    llama-3.2-1b        2048    32     8    64    16
    llama-3.2-3b        3072    24     8   128    28
    gemma-2b            2048     8     1   256    18
    gemma-7b            3072    16    16   256    28
    gemma-2-2b          2304     8     4   256    26
    gemma-2-9b          3584    16     8   256    42
    gemma-2-27b         4608    32    16   128    46
    deepseek-v2-lite    2048    16    16   128    27
    deepseek-v2         5120   128   128   128    60
    deepseek-v3         7168   128   128   128    61
    qwen2.5-0.5b         896    14     2    64    24
    qwen2.5-7b          3584    28     4   128    28
    qwen2.5-72b         8192    64     8   128    80
    olmo-2-7b           4096    32    32   128    32
    olmo-2-13b          5120    40    40   128    40
    smollm2-135m         576     9     3    64    30
    smollm2-360m         960    15     5    64    32
    smollm2-1.7b        2048    32    32    64    24
    mistral-small-24b   5120    32     8   128    40
    gemma-3-1b          1152     4     1   256    26
    gemma-3-4b          2560     8     4   256    34
    gemma-3-12b         3840    16     8   256    48
    gemma-3-27b         5376    32    16   128    62
    qwen3-0.6b          1024    16     8   128    28
    qwen3-8b            4096    32     8   128    36
    qwen3-32b           5120    64     8   128    64
    qwen3-235b-a22b     4096    64     4   128    94
    gpt-oss-20b         2880    64     8    64    24
    gpt-oss-120b        2880    64     8    64    36
"""

# Models whose head size was published on its own, with the C / h that a guess would give.
OWN_D_HEAD = {
    "t5-3b": (128, 32),
    "t5-11b": (128, 8),
    "gemma-7b": (256, 192),
    "gemma-2-2b": (256, 288),
    "gemma-2-9b": (256, 224),
    "gemma-2-27b": (128, 144),
    "gemma-3-1b": (256, 288),
    "gemma-3-4b": (256, 320),
    "gemma-3-12b": (256, 240),
    "gemma-3-27b": (128, 168),
    "mistral-small-24b": (128, 160),
    "qwen3-0.6b": (128, 64),
    "qwen3-32b": (128, 80),
    "qwen3-235b-a22b": (128, 64),
    "deepseek-v2": (128, 40),
    "deepseek-v3": (128, 56),
    "gpt-oss-20b": (64, 45),
    "gpt-oss-120b": (64, 45),
}


def test_every_row_agrees_with_a_second_reading():
    _, *lines = SECOND_READING.strip().splitlines()
    read = {name: tuple(map(int, sizes)) for name, *sizes in map(str.split, lines)}
    assert read == {
        name: (row.d_model, row.n_heads, row.n_kv_heads, row.d_head, row.n_layers)
        for name, row in MODELS.items()
    }


def test_a_head_has_its_share_of_the_width_unless_published_otherwise():
    own = {
        name: (row.d_head, row.d_model // row.n_heads)
        for name, row in MODELS.items()
        if row.has_own_d_head
    }
    assert own == OWN_D_HEAD
    for name in MODELS.keys() - OWN_D_HEAD.keys():
        assert MODELS[name].d_head * MODELS[name].n_heads == MODELS[name].d_model


# Published counts of the projections of one layer, or of one matrix in all layers.
def test_gpt2_has_the_projections_that_nanogpt_counts():
    # karpathy/nanoGPT: transformer_sizing.ipynb, attention/kqv and attention/proj, without biases.
    terms = MODELS["gpt2"].layer_terms
    assert terms["W_Q"] + terms["W_K"] + terms["W_V"] == 1_769_472
    assert terms["W_O"] == 589_824
    assert MODELS["gpt2"].layer_parameters == 4 * 768**2 + 4 * 768


def test_gpt3_has_the_matrices_that_are_told_of_it():
    # 3Blue1Brown, "Attention in transformers": 14,495,514,624 each for key, query, value, output.
    row = MODELS["gpt3"]
    for name in ("W_Q", "W_K", "W_V", "W_O"):
        assert row.n_layers * row.layer_terms[name] == 14_495_514_624


def test_blooms_layer_is_what_its_makers_count():
    # bigscience: train/tr11-176B-ml/README.md, "one layer size": 12 h² + 13 h = 2,466,437,120.
    row = MODELS["bloom"]
    C = row.d_model
    mlp, norms = 8 * C**2 + 5 * C, 4 * C
    assert row.layer_parameters + mlp + norms == 2_466_437_120


def gated(C: int, width: int) -> int:
    """Parameters of an MLP with a gate."""
    return 3 * C * width


@pytest.mark.parametrize(
    ("name", "total", "vocabulary", "mlp", "norms"),
    [
        ("llama-7b", 6_738_415_616, 32_000, gated(4096, 11_008), 0),
        ("llama-2-7b", 6_738_415_616, 32_000, gated(4096, 11_008), 0),
        ("llama-3-8b", 8_030_261_248, 128_256, gated(4096, 14_336), 0),
        ("llama-3-70b", 70_553_706_496, 128_256, gated(8192, 28_672), 0),
        ("llama-3.1-405b", 405_853_388_800, 128_256, gated(16_384, 53_248), 0),
        ("mixtral-8x7b", 46_702_792_704, 32_000, 8 * gated(4096, 14_336) + 8 * 4096, 0),
        ("qwen3-32b", 32_762_123_264, 151_936, gated(5120, 25_600), 2 * 128),
    ],
)
def test_attention_is_exactly_what_the_rest_leaves_of_the_total(
    name, total, vocabulary, mlp, norms
):
    """Totals as others counted them; each model has a table of tokens and a head of its own."""
    row = MODELS[name]
    C = row.d_model
    rest = 2 * vocabulary * C + row.n_layers * (mlp + norms + 2 * C) + C
    assert row.attention_parameters == total - rest


@pytest.mark.parametrize(
    ("name", "total", "vocabulary", "n_dense", "dense", "routed", "shared", "width", "router_bias"),
    [
        ("deepseek-v2-lite", "15.7B", 102_400, 1, 10_944, 64, 2, 1408, False),
        ("deepseek-v2", "235.7B", 102_400, 1, 12_288, 160, 2, 1536, False),
        ("deepseek-v3", "671.0B", 129_280, 3, 18_432, 256, 1, 2048, True),
    ],
)
def test_latent_attention_fits_between_the_experts(
    name, total, vocabulary, n_dense, dense, routed, shared, width, router_bias
):
    """Totals published as 15.7B, 236B and 671B; the third was counted as 671,026,419,200."""
    row = MODELS[name]
    C = row.d_model
    experts = (routed + shared) * gated(C, width) + routed * (C + router_bias)
    mlps = n_dense * gated(C, dense) + (row.n_layers - n_dense) * experts
    norms = row.n_layers * (2 * C + row.latent.kv_rank + (row.latent.q_rank or 0)) + C
    whole = 2 * vocabulary * C + mlps + norms + row.attention_parameters
    assert f"{whole / 1e9:.1f}B" == total
    assert whole == 671_026_419_200 or name != "deepseek-v3"


def test_mistral_small_keeps_512_bytes_a_head_and_token_and_layer():
    row = MODELS["mistral-small-24b"]
    assert row.kv_cache_bytes(1) == 512 * row.n_kv_heads * row.n_layers


@pytest.mark.parametrize(
    ("name", "published"),
    [("gpt2-xl", "300 KiB"), ("llama-3-8b", "128 KiB"), ("deepseek-v3", "69 KiB")],
)
def test_a_token_takes_what_is_told_of_it(name, published):
    """news.future-shock.ai/the-weight-of-remembering: bytes a token, at 16 bits."""
    assert f"{MODELS[name].kv_cache_bytes(1) / 1024:.0f} KiB" == published


@pytest.mark.parametrize(
    ("name", "published"), [("deepseek-v2-lite", "15.6K"), ("deepseek-v2", "34.6K")]
)
def test_latents_keep_what_the_paper_says(name, published):
    """arXiv:2405.04434, table 9: numbers a token."""
    assert f"{MODELS[name].cached_numbers / 1000:.1f}K" == published


def test_a_latent_is_two_and_a_quarter_groups():
    """arXiv:2405.04434, section 2.1.4."""
    row = MODELS["deepseek-v2"]
    assert row.latent.kept / (2 * row.d_head) == 2.25


@pytest.mark.parametrize(
    ("name", "window", "full", "windowed"),
    [
        ("mistral-7b", 4096, 0, 32),
        ("gemma-2-9b", 4096, 21, 21),
        ("gemma-3-1b", 512, 4, 22),
        ("gemma-3-27b", 1024, 10, 52),
        ("gpt-oss-120b", 128, 18, 18),
    ],
)
def test_windows_lie_on_the_published_layers(name, window, full, windowed):
    row = MODELS[name]
    assert (row.window, row.n_window_layers) == (window, windowed)
    assert row.n_layers == full + windowed


def test_gemma_3_puts_every_sixth_layer_on_all_tokens():
    for name in ("gemma-3-1b", "gemma-3-4b", "gemma-3-12b", "gemma-3-27b"):
        row = MODELS[name]
        assert row.n_layers - row.n_window_layers == row.n_layers // 6
