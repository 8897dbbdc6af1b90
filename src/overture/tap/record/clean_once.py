"""Texts without secrets, each looked through once: a conversation is sent again with every call."""

from ..read.plain_values import clean

MOST = 32_000_000
"""Characters that are remembered; then it begins anew."""


class CleanOnce:
    """Cleans texts, and remembers those that it has seen."""

    def __init__(self, most: int = MOST) -> None:
        self.most, self.seen = most, dict[str, str]()
        self.size = 0

    def __call__(self, text: str) -> str:
        """The text without secrets; the very same where there is none in it."""
        found = self.seen.get(text)
        if found is None:
            found = clean(text)
            found = text if found == text else found
            self._remember(text, found)
        return found

    def _remember(self, text: str, found: str) -> None:
        self.size += len(text)
        if self.size > self.most:
            self.seen, self.size = {}, len(text)
        self.seen[text] = found
