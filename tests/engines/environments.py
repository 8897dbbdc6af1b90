"""`make engines`: `overture batch` and `audit` on real engines, each in an environment of its own.

They are large, and some pin what others refuse: each is installed in a folder that is removed afterwards. Names of
engines as arguments run these alone.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.integrations.environments import TOOLS

PROJECT = Path(__file__).parents[2]
ENGINES = {
    "ray": ("ray[data]==2.60.0", "pyarrow==25.0.1"),
    "daft": ("daft==0.7.26", "pyarrow==25.0.1"),
    "pyspark": ("pyspark==4.3.0", "pandas", "pyarrow==25.0.1"),
}
"""What is installed for each; PySpark needs Java, too."""


def run_tests(engine: str) -> bool:
    """Whether the tests of an engine pass."""
    with tempfile.TemporaryDirectory(prefix="overture-") as place:
        python = str(Path(place, "bin", "python"))
        uv = shutil.which("uv")
        install = [uv, "pip", "install", "--python", python] if uv else [python, "-m", "pip", "install"]
        steps = [
            [uv, "venv", "--quiet", "--python", sys.executable, place] if uv else [sys.executable, "-m", "venv", place],
            [*install, "--quiet", "--editable", ".[tokens]", *TOOLS, *ENGINES[engine]],
            [python, "-c", f"import {engine}"],  # or the tests would be passed over
            [python, "-m", "pytest", "-o", "addopts=--strict-markers", "-q", "-W", "ignore",
             *map(str, sorted(PROJECT.glob(f"tests/engines/test_{engine}*.py")))],
        ]  # fmt: skip
        return all(subprocess.run(step, cwd=PROJECT, check=False).returncode == 0 for step in steps)


def main() -> int:
    """Run each engine, and say how it went."""
    outcomes: dict[str, str] = {}
    for engine in sys.argv[1:] or ENGINES:
        if engine == "pyspark" and shutil.which("java") is None:
            outcomes[engine] = "not run: Java is missing"
            continue
        print(f"== {engine} ==", flush=True)
        outcomes[engine] = "passes" if run_tests(engine) else "FAILS"
    print("\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()))
    return 0 if "FAILS" not in outcomes.values() else 1


if __name__ == "__main__":
    sys.exit(main())
