"""The next request of a framework that keeps its own messages: the added texts, their sources and the cost."""
