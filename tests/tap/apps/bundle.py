"""An app of macOS as it lies on the disk, made here: its program is a script that becomes Chromium."""

import plistlib
import shutil
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def bundle(folder: Path, name: str = "Rose", script: str = "", info: bytes | dict[str, str] | None = None) -> Path:
    """A bundle with an Info.plist and its program."""
    program = folder / f"{name}.app" / "Contents" / "MacOS" / "The Rose"
    program.parent.mkdir(parents=True)
    told = {"CFBundleExecutable": program.name, "CFBundleName": name} if info is None else info
    (program.parents[1] / "Info.plist").write_bytes(told if isinstance(told, bytes) else plistlib.dumps(told))
    program.write_text(f'#!/bin/sh\n{script or f"exec {CHROMIUM} {FLAGS} --dump-dom"} "$@"\n')
    program.chmod(0o755)
    return folder / f"{name}.app"
