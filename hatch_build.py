"""Puts the page's bundle into the wheel: one script and one style, made of the modules in the tree."""

import importlib.util
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BundleHook(BuildHookInterface[Any]):
    """Bundles with the page's own code. An editable install serves the modules of the tree, and has no bundle."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the two files, and have them included."""
        if version == "editable":
            return
        web = Path(self.root) / "src" / "overture" / "web"
        found = importlib.util.spec_from_file_location("bundle", web / "make_bundle.py")
        assert found is not None and found.loader is not None
        bundle = importlib.util.module_from_spec(found)
        found.loader.exec_module(bundle)
        made = Path(self.directory) / "bundle"
        made.mkdir(parents=True, exist_ok=True)
        for name, text in zip(bundle.NAMES, bundle.make_bundle(web / "static"), strict=True):
            (made / name).write_text(text, "utf-8")
            build_data["force_include"][str(made / name)] = f"overture/web/bundle/{name}"
