"""The two tools that end a mission. Every agent has them."""

from ...model.tool import Tool

FINISH = (
    Tool(
        "return",
        "Complete the mission successfully. Data must match your mission's signature.",
        signature="(data :any) -> :exit-success",
    ),
    Tool(
        "fail",
        "Terminate with an error. Use when the mission cannot be completed.",
        signature="(error {:reason :keyword, :message :string, :op :string?, :details :map?}) -> :exit-error",
    ),
)
