"""Writes text/confusables.py from Unicode's confusables.txt: `python docs/make_confusables.py FILE`.

It takes single characters beyond ASCII that look like an ASCII letter or sign. Those that compatibility decomposition
and letter case turn into it anyway are skipped.
"""

import re
import sys
import unicodedata
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src" / "overture" / "text" / "confusables.py"
SIGNS = "<>/-_#="
SEQUENCES = {"rn": "m", "vv": "w"}
"""How the table spells letters that it takes for two."""
ROW = re.compile(r"^([0-9A-F]{4,6})\s*;\s*((?:[0-9A-F]{4,6}\s?)+)\s*;\s*MA", re.MULTILINE)
WIDTH = 100
HEAD = '''"""Characters that look like an ASCII letter or sign, by the one that they look like.

Made by docs/make_confusables.py from confusables.txt of Unicode Technical Standard #39, version {version}. The data are
© Unicode, Inc., used under the Unicode License (https://www.unicode.org/license.txt); see NOTICE.
"""

CONFUSABLES = {{
'''


def is_known(source: str, target: str) -> bool:
    """Whether decomposition and letter case give the target already."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", source) if not unicodedata.combining(c))
    return plain.casefold() == target


def read_table(text: str) -> dict[str, list[str]]:
    """ASCII letter or sign -> the characters that look like it."""
    found: dict[str, list[str]] = {}
    for source, targets in ROW.findall(text):
        char, target = chr(int(source, 16)), "".join(chr(int(code, 16)) for code in targets.split())
        target = SEQUENCES.get(target, target).lower()
        wanted = len(target) == 1 and (target in SIGNS or (target.isascii() and target.isalpha()))
        if wanted and not char.isascii() and not is_known(char, target):
            found.setdefault(target, []).append(char)
    return {target: sorted(set(chars)) for target, chars in sorted(found.items())}


def write_module(text: str) -> str:
    """The module that holds the table."""
    version = re.search(r"# Version: ([\d.]+)", text)
    lines = [HEAD.format(version=version[1] if version else "unknown")]
    for target, chars in read_table(text).items():
        codes = " ".join(f"{ord(char):X}" for char in chars)
        rows = re.findall(rf".{{1,{WIDTH}}}(?:\s|$)", codes)
        words = "\n".join(f'        "{row}"' for row in rows)
        lines.append(f"    {target!r}: (\n{words}\n    ),\n".replace(f"{target!r}", f'"{target}"', 1))
    return "".join(lines) + "}\n" + '"""Each as code points in hexadecimal, with a blank between two."""\n'


if __name__ == "__main__":
    TARGET.write_text(write_module(Path(sys.argv[1]).read_text("utf-8-sig")), "utf-8")
