"""How each framework is driven by the contract: one module each, with the framework's own fake model."""
