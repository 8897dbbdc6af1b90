"""The words by which a program was started, without the secrets that some of them are."""

import re
from collections.abc import Iterable, Iterator

from ...text.secrets.find import hide_secrets

NAMES_SECRET = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SAYS_SECRET = re.compile(r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL)
IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]*:[^/@\s]*@")
HIDDEN = "…"


def clean_argv(argv: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in argv:
        option = word.startswith("-")
        if hide_next and not option:
            yield HIDDEN
        else:
            yield hide_secrets(IN_ADDRESS.sub(f"{HIDDEN}@", SAYS_SECRET.sub(rf"\1{HIDDEN}", word)))
        hide_next = option and NAMES_SECRET.search(word) is not None
