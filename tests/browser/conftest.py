"""The browser and the servers of tests/contract/browser, for these tests too."""

from tests.contract.browser.conftest import browser, chromium, look, odd, own, served

__all__ = ["browser", "chromium", "look", "odd", "own", "served"]
