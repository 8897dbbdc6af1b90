// Numbers and names as people read them.
import { language, locale } from "overture/language.js";
import { said, say } from "overture/said.js";
import { dollarsIn } from "overture/said_by_server.js";

const whole = new Intl.NumberFormat(locale);
const isEnglish = language === "en";

export const PACES = { static: say("never changes"), session: say("once a session"), turn: say("every turn") };
export const VIEW_NAMES = {
  prompt: say("Prompt"), map: say("Map"), turns: say("Turns"), play: say("Play"), agents: say("Agents"), files: say("Files"), check: say("Check"),
  calls: say("Calls"),
};

// What a prompt is made of, by the names that the state has for it.
const FIELDS = {
  context_files: say("instruction files"), workspace_files: say("workspace files"), skills: say("skills"), tools: say("tools"), now: say("the clock"),
  runtime: say("facts of the machine"), memories: say("memories"), task: say("the task"), channel: say("the channel"), agent: say("who the agent is"),
  user: say("who the user is"), overrides: say("SYSTEM.md or APPEND_SYSTEM.md"), session: say("the session"), mission: say("the mission"),
};
export const fieldWords = (name) => FIELDS[name] || name;

// How an agent reads a file: a sign and a word.
export const READS = { loaded: ["●", say("whole")], cut: ["◐", say("in part")], lazy: ["○", say("later")], unread: ["–", say("never")] };

export function number(value) {
  return whole.format(value);
}

// An estimate says so.
export function tokens(value, sheet) {
  return `${sheet && !sheet.exact ? "~" : ""}${whole.format(value)}`;
}

const parts = new Intl.NumberFormat(locale, { style: "percent" });

export function percent(share) {
  const small = share > 0 && share < 0.005;
  if (isEnglish) return small ? "<1 %" : `${Math.round(share * 100)} %`;
  return small ? `<${parts.format(0.01)}` : parts.format(share);
}

// Two figures that count, however small.
export function dollars(value) {
  if (value === null || value === undefined) return say("not known");
  if (value === 0) return amount("0");
  return amount(value >= 1 ? value.toFixed(2) : value.toPrecision(2));
}

// A price as bills have it; of less than ten cents, four digits.
export function money(value) {
  if (value === null || value === undefined) return say("not known");
  if (value > 0 && value < 0.00005) return `< ${amount("0.0001")}`;
  return amount(value.toFixed(value >= 0.1 || value === 0 ? 2 : 4));
}

// The same, where not every price is known.
export function bound(value, atLeast, shown = money) {
  return atLeast && value !== null && value !== undefined ? say("at least {money}", { money: shown(value) }) : shown(value);
}

// With as many digits as the text has.
function amount(text) {
  return isEnglish || text.includes("e") ? `$${text}` : dollarsIn(Number(text), text.split(".")[1]?.length || 0);
}

export function seconds(milliseconds) {
  if (milliseconds === null || milliseconds === undefined) return "";
  if (milliseconds < 1000) return say("{n} ms", { n: Math.round(milliseconds) });
  return say("{seconds} s", { seconds: (milliseconds / 1000).toLocaleString(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
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

export const bytes = (n) => say("{n} byte|{n} bytes", { n });

const SOURCES = { file: say("file"), state: say("value"), rule: say("rule"), recipe: say("the recipe's own words"), hook: say("added by a hook") };
const TIERS = {
  "built in": say("built in"),
  user: say("yours, from your home or your settings"),
  project: say("from this project"),
  dependency: say("written by others, installed in this project"),
  remote: say("fetched from elsewhere"),
  data: say("a value"),
};
// The name of what is no file is ours, or that of a field.
export const sourceName = (source) => (source.kind === "file" ? source.label : said(source.label));
export const sourceKind = (source) => SOURCES[source.kind] || source.kind;
export const tierWords = (tier) => TIERS[tier] || tier;
