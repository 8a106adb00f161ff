"""Models published from 2017 to 2022: every head has its own keys and values."""

from __future__ import annotations

from mha.models.model import family

SIZES = "title d_model n_heads n_layers n_parameters"

EARLY = {
    **family(
        "Transformer",
        2017,
        "tensorflow/tensor2tensor: tensor2tensor/models/transformer.py",
        "title d_model n_heads n_layers",
        {
            "transformer-base": ("Transformer base", 512, 8, 6),
            "transformer-big": ("Transformer big", 1024, 16, 6),
        },
        kind="encoder-decoder",
    ),
    **family(
        "BERT",
        2018,
        "google-research/bert: README.md",
        SIZES,
        {
            "bert-base": ("BERT base", 768, 12, 12, 110_000_000),
            "bert-large": ("BERT large", 1024, 16, 24, 340_000_000),
        },
        kind="encoder",
        biased="QKVO",
    ),
    **family(
        "GPT-2",
        2019,
        "karpathy/nanoGPT: model.py; totals: openai/gpt-2: DEVELOPERS.md",
        SIZES,
        {
            "gpt2": ("GPT-2 small", 768, 12, 12, 124_000_000),
            "gpt2-medium": ("GPT-2 medium", 1024, 16, 24, 355_000_000),
            "gpt2-large": ("GPT-2 large", 1280, 20, 36, 774_000_000),
            "gpt2-xl": ("GPT-2 XL", 1600, 25, 48, 1_558_000_000),
        },
        biased="QKVO",
    ),
    **family(
        "T5",
        2019,
        "google-research/text-to-text-transfer-transformer: t5/models/gin/models/bi_v1_*.gin; "
        "totals: README.md; d_head of T5 small: huggingface/transformers: "
        "src/transformers/models/t5/configuration_t5.py",
        f"{SIZES} d_head",
        {
            "t5-small": ("T5 small", 512, 8, 6, 60_000_000, 64),
            "t5-3b": ("T5 3B", 1024, 32, 24, 3_000_000_000, 128),
            "t5-11b": ("T5 11B", 1024, 128, 24, 11_000_000_000, 128),
        },
        kind="encoder-decoder",
    ),
    **family(
        "GPT-3",
        2020,
        "arXiv:2005.14165, table 2.1, as in facebookresearch/metaseq: "
        "metaseq/launcher/opt_job_constants.py",
        SIZES,
        {"gpt3": ("GPT-3 175B", 12288, 96, 96, 175_000_000_000)},
        biased="QKVO",
        note=(
            "Every second layer looks at a band of tokens whose width is not published; "
            "the cache is counted as if each looked at all."
        ),
    ),
    **family(
        "GPT-J",
        2021,
        "kingoflolz/mesh-transformer-jax: README.md",
        SIZES,
        {"gpt-j-6b": ("GPT-J 6B", 4096, 16, 28, 6_053_381_344)},
    ),
    **family(
        "GPT-NeoX",
        2022,
        "EleutherAI/gpt-neox: configs/20B.yml",
        SIZES,
        {"gpt-neox-20b": ("GPT-NeoX 20B", 6144, 64, 44, 20_000_000_000)},
        biased="QKVO",
    ),
    **family(
        "OPT",
        2022,
        "facebookresearch/metaseq: metaseq/launcher/opt_job_constants.py",
        SIZES,
        {
            "opt-125m": ("OPT 125M", 768, 12, 12, 125_000_000),
            "opt-175b": ("OPT 175B", 12288, 96, 96, 175_000_000_000),
        },
        biased="QKVO",
    ),
    **family(
        "BLOOM",
        2022,
        "bigscience-workshop/bigscience: train/tr11-176B-ml/README.md",
        SIZES,
        {"bloom": ("BLOOM 176B", 14336, 112, 70, 176_000_000_000)},
        biased="QKVO",
    ),
}
