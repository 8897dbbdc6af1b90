"""The dated table of models: windows, how their providers cache, and what that costs."""
