"""Logs that are damaged in any way: what can be read is taken, the rest is said, and no file is left for nothing."""

import gzip
from pathlib import Path

import pytest

from overture.tap.store.store import open_store
from tests.contract.cli.run import run

pytestmark = pytest.mark.slow


SAMPLES = sorted(
    path for path in (Path(__file__).parents[2] / "contract/tap/log_formats/samples").rglob("*") if path.is_file()
)


def test_packed_data_that_is_damaged_is_said(tmp_path: Path) -> None:
    """Wherever a bit of it was flipped or it breaks off; nothing is made where nothing came."""
    packed = gzip.compress(SAMPLES[0].read_bytes() + b" " * 5_000)
    for number, at in enumerate((2, 10, 12, len(packed) // 2, len(packed) - 5)):
        data = bytearray(packed)
        data[at] ^= 0xFF
        for kind, content in (("flipped", bytes(data)), ("short", packed[: at + 1])):
            log = tmp_path / f"{kind}{number}.gz"
            log.write_bytes(content)
            done = run("tap", "import", log, "--store", tmp_path / f"{kind}{number}.db")
            assert "Traceback" not in done.stderr, (kind, at)
            assert done.returncode in (0, 2)
            assert done.returncode == 0 or "can't be read" in done.stderr or "none of the logs" in done.stderr


@pytest.mark.parametrize("content", [b"", b"no log\n", b"\0\1\2", b"{}", b"[1, 2]"])
def test_a_failed_import_leaves_no_file(tmp_path: Path, content: bytes) -> None:
    """A store that was not there before is not there after; one that was stays as it was."""
    log, store = tmp_path / "log", tmp_path / "calls.db"
    log.write_bytes(content)
    assert run("tap", "import", log, "--store", store).returncode == 2
    assert not list(tmp_path.glob("calls.db*"))
    with open_store(store):
        pass
    assert run("tap", "import", log, "--store", store).returncode == 2
    assert store.exists()
