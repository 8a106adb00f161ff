"""For every test: how Hypothesis draws its examples, and torch on one thread where it matters."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadline: a busy machine is not a failure. In CI the same examples every time, so that a
# change is judged by the change and not by luck; elsewhere new ones, so that luck can find more.
settings.register_profile("default", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("default")


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    """Run torch on one thread: so small a model is quickest there, and the same to the bit."""
    import torch  # a second, which only those pay who ask

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
