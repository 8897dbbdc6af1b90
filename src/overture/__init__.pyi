"""The public names of the package, each with its module: `__init__.py` imports one when it is first used."""

from .agents.table import AgentInfo as AgentInfo, Table as Table
from .agents.uses import Use as Use
from .api import (
    build as build,
    counter as counter,
    discover as discover,
    load_models as load_models,
    load_recipe as load_recipe,
    window as window,
)
from .assemble.change_prompt import Change as Change
from .check.findings import Finding as Finding
from .check.engine import CheckResult as CheckResult, Checked as Checked
from .errors import (
    BudgetError as BudgetError,
    ConfigError as ConfigError,
    CountError as CountError,
    OvertureError as OvertureError,
    OvertureWarning as OvertureWarning,
    RecipeError as RecipeError,
    SealedError as SealedError,
    SessionError as SessionError,
    SignatureError as SignatureError,
    StateError as StateError,
)
from .fit.fit import fit as fit
from .model.convert_tools import tools_from as tools_from
from .model.diagnostic import Diagnostic as Diagnostic
from .model.function_tool import tool as tool
from .model.message import Call as Call, Content as Content, Message as Message, Usage as Usage
from .model.prompt.budget import Budget as Budget
from .model.prompt.prompt import Prompt as Prompt
from .model.recipe.body import Body as Body, Group as Group, Part as Part, Skip as Skip
from .model.recipe.recipe import Recipe as Recipe
from .model.recipe.section import Section as Section, heading as heading, section as section, tag as tag
from .model.state.audience_and_subagents import derive as derive
from .model.state.discovery import Discovery as Discovery, Found as Found
from .model.state.state import State as State
from .providers.render import render as render
from .report.diff import diff as diff
from .report.explain import Explanation as Explanation
from .report.stats_and_cut_notes import Stats as Stats
from .report.why import PathStatus as PathStatus
from .report_api import (
    agents as agents,
    check as check,
    explain as explain,
    stats as stats,
    why as why,
)
from .session.current_files import NestedFile as NestedFile
from .session.framework_request import SessionFramework as SessionFramework
from .session.session import Session as Session
from .session.session_files import Resources as Resources
from .session.turn_and_context import Turn as Turn
from .tokens.counter import Counter as Counter
from .version import __version__ as __version__
