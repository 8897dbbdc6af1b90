"""What is cheap of `make stress`: bounded, and one clear line for what is left out."""

import pytest

from tests.stress import STRESSES, Stress, measured

CHEAP = ("a file of 1 GB", "1,000 levels of links", "200 kB of JSON, a late key twice")


@pytest.mark.parametrize("stress", [s for s in STRESSES if s.name in CHEAP], ids=lambda s: s.name)
def test_a_hostile_project_is_answered_in_a_line(stress: Stress) -> None:
    """What is not read is said in a line, without a traceback. `make stress` holds time and memory to their bounds."""
    faults = measured(stress, 1.0).faults(stress)
    assert [fault for fault in faults if not fault.startswith("more than")] == []
