"""A real Ray, started on this machine: an audit gives the same rows as one in a process of ours."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from overture.audit.command import command

from ..audit.fleet import make_repository, read_table

ray = pytest.importorskip("ray")

os.environ["RAY_AUTH_MODE"] = "disabled"  # or it writes a token into the home directory


def test_an_audit_on_ray_has_the_same_rows(tmp_path: Path) -> None:
    """Every repository once, from two workers."""
    for number in range(20):
        make_repository(tmp_path / f"fleet/{number}", {"AGENTS.md": f"Use {number} tabs.\n"})
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False)
    for name, words in {"here": ["--processes", "1"], "there": ["--engine", "ray"]}.items():
        done = CliRunner().invoke(command, [str(tmp_path / "fleet"), "--out", str(tmp_path / f"{name}.jsonl"), *words])
        assert done.exit_code == 0, done.output
    ray.shutdown()
    for table in ("uses", "findings"):
        assert read_table(tmp_path / "here.jsonl", table) == read_table(tmp_path / "there.jsonl", table)
