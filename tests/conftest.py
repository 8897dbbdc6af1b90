"""What every test can count on: no configuration of the machine's own, and no deadline for slow disks."""

import os

import pytest
from hypothesis import settings

settings.register_profile("overture", deadline=None)
settings.load_profile("overture")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """No OVERTURE_… variable of the machine counts."""
    for name in [name for name in os.environ if name.startswith("OVERTURE_")]:
        monkeypatch.delenv(name)
