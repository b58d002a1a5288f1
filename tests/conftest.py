"""What all tests share: Hypothesis without a clock, and the same examples in every run."""
from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("mindsim", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("mindsim")
