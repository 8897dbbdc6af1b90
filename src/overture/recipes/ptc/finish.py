"""The two tools that end a mission. Every agent has them."""

from ...model.schema import takes, text
from ...model.tool import Tool

REASON = takes(
    {"reason": text("The kind of error, in a word."), "message": text("What went wrong.")},
    {
        "op": text("The operation that failed."),
        "details": {"type": "object", "description": "Whatever else is known of it."},
    },
)

FINISH = (
    Tool(
        "return",
        "Complete the mission successfully. Data must match your mission's signature.",
        takes({"data": {"description": "The result of the mission, of any type."}}),
        signature="(data :any) -> :exit-success",
    ),
    Tool(
        "fail",
        "Terminate with an error. Use when the mission cannot be completed.",
        takes({"error": {**REASON, "description": "Why the mission can't be completed."}}),
        signature="(error {:reason :keyword, :message :string, :op :string?, :details :map?}) -> :exit-error",
    ),
)
