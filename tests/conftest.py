"""Settings for every test: how Hypothesis draws its examples."""

import os

from hypothesis import settings

# No deadline: a busy machine is not a failure. In CI the same examples every time, so that a
# change is judged by the change and not by luck; elsewhere new ones, so that luck can find more.
settings.register_profile("default", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("default")
