"""What several rooms' tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Run torch on one thread: so small a model is quickest there, and the same to the bit."""
    import torch  # a second, which only those pay who train

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
