"""The token budget per section that PtcRunner's document gives."""

from ...model.recipe import Size

SIZES = (
    Size("Role & Purpose", "~50 tokens, fixed", section="role"),
    Size("Environment Rules", "~80 tokens, fixed", section="rules"),
    Size("Data Inventory", "~10 tokens per field", section="data-inventory"),
    Size("Tool Schemas", "~30 tokens per tool", section="tools"),
    Size("PTC-Lisp Reference", "~400 tokens, can be trimmed", section="reference"),
    Size("Output Format", "~50 tokens, fixed", section="output-format"),
    Size("Mission Prompt", "variable, user-defined", section="mission"),
)
