"""What `import overture` costs and offers. Each test starts a fresh Python."""

import json
import subprocess
import sys
from typing import Any

import pytest


def fresh(code: str) -> Any:
    """What a fresh Python prints as JSON."""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


HEAVY = ("yaml", "click", "asyncio")


def test_the_import_is_light() -> None:
    """`import overture` loads neither yaml, click nor asyncio."""
    loaded = fresh("import sys, json, overture; print(json.dumps(sorted(sys.modules)))")
    assert not set(HEAVY) & set(loaded)


@pytest.mark.parametrize("recipe", ["opal", "pi"])
def test_a_pure_build_is_light(recipe: str) -> None:
    """Building from a state loads neither yaml, click nor asyncio either."""
    code = (
        "import sys, json, overture\n"
        f"overture.build({recipe!r}, overture.State()).text\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not set(HEAVY) & set(fresh(code))


def test_a_session_is_light() -> None:
    """A turn of a session without async hooks loads neither click nor asyncio."""
    code = (
        "import sys, json, overture\n"
        "from overture.testing import FakeWorld\n"
        "overture.Session('opal', world=FakeWorld()).turn('Go').prompt.text\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not {"click", "asyncio"} & set(fresh(code))


def test_a_pure_build_needs_no_unix() -> None:
    """Where Python lacks what only Unix has, `import overture` and a build from a state still work."""
    code = (
        "import json, os, signal, sys\n"
        "for module, name in ((os, 'O_NONBLOCK'), (os, 'O_DIRECTORY'), (os, 'killpg'), (signal, 'SIGKILL')):\n"
        "    delattr(module, name)\n"
        "sys.modules.update(dict.fromkeys(('fcntl', 'pwd', 'grp', 'resource', 'termios')))\n"
        "import overture, overture.discovery.git, overture.discovery.write_file, overture.discovery.world\n"
        "print(json.dumps(overture.build('opal', overture.State()).text))"
    )
    assert fresh(code)


def test_public_names_are_sorted_and_there() -> None:
    """Every public name can be imported, they are listed in order, and `dir` shows them."""
    code = (
        "import json, overture\n"
        "found = [getattr(overture, name) is not None for name in overture.__all__]\n"
        "print(json.dumps([overture.__all__, all(found), dir(overture)]))"
    )
    names, found, shown = fresh(code)
    assert found
    assert names == sorted(names)
    assert set(names) <= set(shown)
    assert {"State", "Prompt", "build", "derive", "diff", "discover", "load_recipe", "tools_from"} <= set(names)


@pytest.mark.slow(unless=("nothing", "the package"))
@pytest.mark.parametrize(
    "first",
    [
        "",
        "import overture.discovery.world",
        "from overture.discovery.discover import discover",
        "import overture.discovery",
        "import overture.cli.main, overture.api, overture.testing",
        "import pkgutil, importlib, overture\n"
        "for m in pkgutil.walk_packages(overture.__path__, 'overture.'):\n"
        "    m.name.endswith('__main__') or '.integrations.' in m.name or importlib.import_module(m.name)",
    ],
    ids=["nothing", "a module", "from", "the package", "the layers above", "everything"],
)
def test_discover_stays_the_function(first: str) -> None:
    """`overture.discover` is the function, whatever was imported before."""
    code = (
        f"{first}\nimport overture, json\nfrom overture import discover\n"
        "print(json.dumps([callable(overture.discover), callable(discover)]))"
    )
    assert fresh(code) == [True, True]


def test_modules_of_discovery_can_be_imported_by_their_path() -> None:
    """No function of the package has the name of a package, whose modules could then not be imported so."""
    assert fresh("import json, overture, overture.discovery.files as files\nprint(json.dumps(files.__name__))") == (
        "overture.discovery.files"
    )


def test_python_m_overture_is_the_command() -> None:
    """`python -m overture` is `overture`."""
    result = subprocess.run(
        [sys.executable, "-m", "overture", "--version"], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.strip()
