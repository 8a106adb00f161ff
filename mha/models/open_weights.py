"""Models published since 2023: heads share keys and values, windows forget, latents shorten."""

from __future__ import annotations

from mha.models.model import Latent, family

SIZES = "title d_model n_heads n_layers n_parameters"
GROUPED = "title d_model n_heads n_kv_heads n_layers n_parameters"
LITGPT = "Lightning-AI/litgpt: litgpt/config.py"
TORCHTUNE = "pytorch/torchtune: torchtune/models/{}/_model_builders.py"
LLAMA_CARD = "totals: meta-llama/llama-models: models/{}/MODEL_CARD.md"
GEMMA = "google-deepmind/gemma: gemma/gm/nn/_gemma.py; totals: docs/checkpoints.md"
DEEPSEEK = "deepseek-ai/DeepSeek-V3: inference/configs/config_{}.json"

OPEN_WEIGHTS = {
    **family(
        "Pythia",
        2023,
        "EleutherAI/pythia: README.md",
        SIZES,
        {
            "pythia-70m": ("Pythia 70M", 512, 8, 6, 70_000_000),
            "pythia-1b": ("Pythia 1B", 2048, 8, 16, 1_000_000_000),
            "pythia-12b": ("Pythia 12B", 5120, 40, 36, 12_000_000_000),
        },
        biased="QKVO",
    ),
    **family(
        "LLaMA",
        2023,
        "huggingface.co/learnanything/llama-7b-huggingface: config.json; "
        "huggingface.co/huggyllama/llama-65b: config.json; totals: arXiv:2302.13971, abstract",
        SIZES,
        {
            "llama-7b": ("LLaMA 7B", 4096, 32, 32, 7_000_000_000),
            "llama-65b": ("LLaMA 65B", 8192, 64, 80, 65_000_000_000),
        },
    ),
    **family(
        "Llama 2",
        2023,
        f"{LITGPT}; {LLAMA_CARD.format('llama2')}",
        GROUPED,
        {
            "llama-2-7b": ("Llama 2 7B", 4096, 32, 32, 32, 7_000_000_000),
            "llama-2-13b": ("Llama 2 13B", 5120, 40, 40, 40, 13_000_000_000),
            "llama-2-70b": ("Llama 2 70B", 8192, 64, 8, 80, 70_000_000_000),
        },
    ),
    **family(
        "Falcon",
        2023,
        LITGPT,
        GROUPED,
        {
            "falcon-7b": ("Falcon 7B", 4544, 71, 1, 32, 7_000_000_000),
            "falcon-40b": ("Falcon 40B", 8192, 128, 8, 60, 40_000_000_000),
            "falcon-180b": ("Falcon 180B", 14848, 232, 8, 80, 180_000_000_000),
        },
    ),
    **family(
        "StarCoder",
        2023,
        "huggingface.co/bigcode/starcoder-co-format: config.json; "
        "total: openreview.net/forum?id=KoFOg41haE",
        GROUPED,
        {"starcoder": ("StarCoder", 6144, 48, 1, 40, 15_500_000_000)},
        biased="QKVO",
    ),
    **family(
        "Mistral",
        2023,
        f"{LITGPT}; arXiv:2310.06825, abstract",
        GROUPED,
        {"mistral-7b": ("Mistral 7B v0.1", 4096, 32, 8, 32, 7_000_000_000)},
        window=4096,
    ),
    **family(
        "Mixtral",
        2023,
        f"{LITGPT}; total: simonwillison.net/2024/Jan/9/mixtral-of-experts",
        GROUPED,
        {"mixtral-8x7b": ("Mixtral 8x7B", 4096, 32, 8, 32, 47_000_000_000)},
    ),
    **family(
        "Mixtral",
        2024,
        f"{LITGPT}; total: arXiv:2405.04434, table 2",
        GROUPED,
        {"mixtral-8x22b": ("Mixtral 8x22B", 6144, 48, 8, 56, 141_000_000_000)},
    ),
    **family(
        "Phi",
        2023,
        f"{LITGPT}; total: docs.nvidia.com/nemo/automodel, model coverage, phi-2",
        SIZES,
        {"phi-2": ("Phi-2", 2560, 32, 32, 2_700_000_000)},
        biased="QKVO",
    ),
    # Its window, 262,145 tokens, is longer than its context of 131,072.
    **family(
        "Phi",
        2024,
        f"{LITGPT}; total: microsoft.com/en-us/research/publication, MSR-TR-2024-12",
        SIZES,
        {"phi-3-mini": ("Phi-3 mini 128K", 3072, 32, 32, 3_800_000_000)},
    ),
    **family(
        "Phi",
        2024,
        f"{LITGPT}; total: {TORCHTUNE.format('phi4')}",
        GROUPED,
        {"phi-4": ("Phi-4", 5120, 40, 10, 40, 14_000_000_000)},
    ),
    **family(
        "Llama 3",
        2024,
        f"{LITGPT}; {LLAMA_CARD.format('llama3')}",
        GROUPED,
        {
            "llama-3-8b": ("Llama 3 8B", 4096, 32, 8, 32, 8_000_000_000),
            "llama-3-70b": ("Llama 3 70B", 8192, 64, 8, 80, 70_000_000_000),
        },
    ),
    **family(
        "Llama 3",
        2024,
        f"{LITGPT}; {LLAMA_CARD.format('llama3_1')}",
        GROUPED,
        {"llama-3.1-405b": ("Llama 3.1 405B", 16384, 128, 8, 126, 405_000_000_000)},
    ),
    **family(
        "Llama 3",
        2024,
        f"{LITGPT}; {LLAMA_CARD.format('llama3_2')}",
        GROUPED,
        {
            "llama-3.2-1b": ("Llama 3.2 1B", 2048, 32, 8, 16, 1_230_000_000),
            "llama-3.2-3b": ("Llama 3.2 3B", 3072, 24, 8, 28, 3_210_000_000),
        },
    ),
    **family(
        "Gemma",
        2024,
        f"{LITGPT}; {TORCHTUNE.format('gemma')}",
        f"{GROUPED} d_head",
        {
            "gemma-2b": ("Gemma 2B", 2048, 8, 1, 18, 2_000_000_000, 256),
            "gemma-7b": ("Gemma 7B", 3072, 16, 16, 28, 7_000_000_000, 256),
        },
    ),
    **family(
        "Gemma 2",
        2024,
        GEMMA,
        f"{GROUPED} d_head n_window_layers",
        {
            "gemma-2-2b": ("Gemma 2 2B", 2304, 8, 4, 26, 2_600_000_000, 256, 13),
            "gemma-2-9b": ("Gemma 2 9B", 3584, 16, 8, 42, 9_000_000_000, 256, 21),
            "gemma-2-27b": ("Gemma 2 27B", 4608, 32, 16, 46, 27_000_000_000, 128, 23),
        },
        window=4096,
    ),
    **family(
        "DeepSeek-V2",
        2024,
        f"{DEEPSEEK.format('16B')}; {DEEPSEEK.format('236B')}; "
        "arXiv:2405.04434, section 3.1.2 and appendix B",
        f"{SIZES} latent",
        {
            "deepseek-v2-lite": (
                *("DeepSeek-V2-Lite", 2048, 16, 27, 15_700_000_000),
                Latent(kv_rank=512, rope=64, q_rank=None),
            ),
            "deepseek-v2": (
                *("DeepSeek-V2", 5120, 128, 60, 236_000_000_000),
                Latent(kv_rank=512, rope=64, q_rank=1536),
            ),
        },
        d_head=128,
    ),
    **family(
        "DeepSeek-V3",
        2024,
        f"{DEEPSEEK.format('671B')}; total: README.md",
        SIZES,
        {"deepseek-v3": ("DeepSeek-V3", 7168, 128, 61, 671_000_000_000)},
        d_head=128,
        latent=Latent(kv_rank=512, rope=64, q_rank=1536),
    ),
    **family(
        "Qwen2.5",
        2024,
        f"{LITGPT}; {TORCHTUNE.format('qwen2_5')}",
        GROUPED,
        {
            "qwen2.5-0.5b": ("Qwen2.5 0.5B", 896, 14, 2, 24, 500_000_000),
            "qwen2.5-7b": ("Qwen2.5 7B", 3584, 28, 4, 28, 7_000_000_000),
            "qwen2.5-72b": ("Qwen2.5 72B", 8192, 64, 8, 80, 72_000_000_000),
        },
        biased="QKV",
    ),
    **family(
        "OLMo 2",
        2024,
        "allenai/OLMo: configs/official-1124/OLMo2-7B-stage1.yaml; "
        "configs/official-1124/OLMo2-13B-stage1.yaml",
        SIZES,
        {
            "olmo-2-7b": ("OLMo 2 7B", 4096, 32, 32, 7_000_000_000),
            "olmo-2-13b": ("OLMo 2 13B", 5120, 40, 40, 13_000_000_000),
        },
    ),
    **family(
        "SmolLM2",
        2024,
        LITGPT,
        GROUPED,
        {
            "smollm2-135m": ("SmolLM2 135M", 576, 9, 3, 30, 135_000_000),
            "smollm2-360m": ("SmolLM2 360M", 960, 15, 5, 32, 360_000_000),
            "smollm2-1.7b": ("SmolLM2 1.7B", 2048, 32, 32, 24, 1_700_000_000),
        },
    ),
    **family(
        "Mistral",
        2025,
        "discuss.huggingface.co/t/168654, which quotes config.json; "
        "docs.api.nvidia.com/nim/reference/mistralai-mistral-small-24b-instruct",
        f"{GROUPED} d_head",
        {"mistral-small-24b": ("Mistral Small 24B", 5120, 32, 8, 40, 24_000_000_000, 128)},
    ),
    **family(
        "Gemma 3",
        2025,
        GEMMA,
        f"{GROUPED} d_head window n_window_layers",
        {
            "gemma-3-1b": ("Gemma 3 1B", 1152, 4, 1, 26, 1_000_000_000, 256, 512, 22),
            "gemma-3-4b": ("Gemma 3 4B", 2560, 8, 4, 34, 4_000_000_000, 256, 1024, 29),
            "gemma-3-12b": ("Gemma 3 12B", 3840, 16, 8, 48, 12_000_000_000, 256, 1024, 40),
            "gemma-3-27b": ("Gemma 3 27B", 5376, 32, 16, 62, 27_000_000_000, 128, 1024, 52),
        },
    ),
    **family(
        "Qwen3",
        2025,
        f"{LITGPT}; {TORCHTUNE.format('qwen3')}",
        f"{GROUPED} d_head",
        {
            "qwen3-0.6b": ("Qwen3 0.6B", 1024, 16, 8, 28, 600_000_000, 128),
            "qwen3-8b": ("Qwen3 8B", 4096, 32, 8, 36, 8_000_000_000, 128),
            "qwen3-32b": ("Qwen3 32B", 5120, 64, 8, 64, 32_000_000_000, 128),
            "qwen3-235b-a22b": ("Qwen3 235B-A22B", 4096, 64, 4, 94, 235_000_000_000, 128),
        },
    ),
    **family(
        "gpt-oss",
        2025,
        "openai/gpt-oss: gpt_oss/torch/model.py; totals: README.md; "
        "layers of the smaller: docs.nvidia.com/nemo/megatron-bridge, GPT OSS",
        f"{GROUPED} d_head n_window_layers",
        {
            "gpt-oss-20b": ("gpt-oss-20b", 2880, 64, 8, 24, 21_000_000_000, 64, 12),
            "gpt-oss-120b": ("gpt-oss-120b", 2880, 64, 8, 36, 117_000_000_000, 64, 18),
        },
        window=128,
        biased="QKVO",
    ),
}
