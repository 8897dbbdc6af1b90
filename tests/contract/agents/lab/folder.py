"""The laboratory keeps everything that it fetches and records in one folder outside the project."""

import os
import platform
import tempfile
from pathlib import Path

LAB = Path(os.environ.get("AGENTS_LAB") or Path(tempfile.gettempdir()) / "overture-agents").absolute()
"""Installed agents, the tree of the current run, and recorded requests: these hold prompts that are not ours."""

CHIP = "arm64" if platform.machine() in ("aarch64", "arm64") else "x64"
"""As npm names the processor, where a package is of programs for one."""
NODE = LAB / "agents" / "node" / "node_modules" / f"node-linux-{CHIP}" / "bin"
HERE = LAB / "here"
"""The world that an agent is run in: always the same path, since paths are part of a request."""
