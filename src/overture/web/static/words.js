// Numbers and names as people read them.
import { locale, say } from "overture/say.js";

const whole = new Intl.NumberFormat(locale);

export const PACES = { static: say("neverChanges"), session: say("onceASession"), turn: say("everyTurn") };
export const VIEW_NAMES = {
  prompt: say("Prompt"), map: say("Map"), turns: say("Turns"), play: say("Play"), agents: say("Agents"), files: say("Files"), check: say("Check"),
  calls: say("Calls"),
};

// What a prompt is made of, by the names that the state has for it.
const FIELDS = {
  context_files: say("instructionFiles"), workspace_files: say("workspaceFiles"), skills: say("skills"), tools: say("tools"), now: say("theClock"),
  runtime: say("factsOfTheMachine"), memories: say("memories"), task: say("theTask"), channel: say("theChannel"), agent: say("whoTheAgentIs"),
  user: say("whoTheUserIs"), overrides: say("systemFiles"), session: say("theSession"), mission: say("theMission"),
};
export const fieldWords = (name) => FIELDS[name] || name;

// What an agent does with a file: a sign, a word, and whether that is told of the file itself.
export const READS = {
  loaded: ["●", say("loaded")], truncated: ["◐", say("truncated")], listed: ["≡", say("listed")], on_demand: ["○", say("loadedOnDemand")],
  same: ["=", say("sameFile")], skipped: ["–", say("skipped")],
};
export const readingOf = (cell) => (cell?.how === "same" ? "same" : cell?.status || "skipped");

export function number(value) {
  return whole.format(value);
}

// An estimate says so.
export function tokens(value, sheet) {
  return `${sheet && !sheet.exact && value ? "~" : ""}${whole.format(value)}`;
}

// A piece without text, where a file is truncated, has none, and the answer leaves that out.
export const tokensOf = (piece) => piece.tokens || 0;

export function percent(share) {
  return share > 0 && share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`;
}

// Two figures that count, however small.
export function dollars(value) {
  if (value === null || value === undefined) return say("notKnown");
  if (value === 0) return "$0";
  return `$${value >= 1 ? digits(value, 2) : value.toPrecision(2)}`;
}

// A price as bills have it; of less than ten cents, four digits. Commands write the same: text/words.py.
export function money(value) {
  if (value === null || value === undefined) return say("notKnown");
  if (value > 0 && value < 0.00005) return "< $0.0001";
  return `$${digits(value, value >= 0.1 || value === 0 ? 2 : 4)}`;
}

const digits = (value, count) => value.toLocaleString(locale, { minimumFractionDigits: count, maximumFractionDigits: count });

// The same, where not every price is known.
export function bound(value, atLeast, shown = money) {
  if (!atLeast || value === null || value === undefined) return shown(value);
  return say("atLeastMoney", { money: value > 0 && value < 0.00005 ? `$${digits(value, 6)}` : shown(value) });
}

// An agent's own prompt is not ours to show, so that a request of its is longer and costs more than what is here.
export const hasOwnPrompt = (sheet) => sheet.lacks_own_prompt;

export function seconds(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  if (milliseconds < 1000) return say("milliseconds", { n: Math.round(milliseconds) });
  return say("seconds", { seconds: (milliseconds / 1000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

export function clock(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleTimeString(locale, { hour12: false });
}

// A day and a time, for what is of several days.
export function moment(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleString(locale, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });
}

export const bytes = (n) => say("nBytes", { n });

const SOURCES = { file: say("file"), state: say("value"), rule: say("rule"), recipe: say("theRecipesOwnWords"), hook: say("addedByAHook") };
const TIERS = {
  "built in": say("builtIn"),
  user: say("yoursYourHomeOrYour"),
  project: say("fromThisProject"),
  dependency: say("writtenOthersInstalledProject"),
  remote: say("fetchedFromElsewhere"),
  data: say("aValue"),
};
export const sourceKind = (source) => SOURCES[source.kind] || source.kind;
export const tierWords = (tier) => TIERS[tier] || tier;
