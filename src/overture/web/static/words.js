// Numbers and names as people read them.
export const locale = "en";
const whole = new Intl.NumberFormat(locale);

export const PACES = { static: "never changes", session: "once a session", turn: "every turn" };
export const VIEW_NAMES = {
  prompt: "Prompt", turns: "Turns", agents: "Agents", files: "Files", check: "Check", calls: "Calls",
};

// What a prompt is made of, by the names that the state has for it.
const FIELDS = {
  context_files: "instruction files", workspace_files: "workspace files", now: "the clock",
  runtime: "facts about the machine", task: "the task", channel: "the channel", agent: "who the agent is",
  user: "who the user is", overrides: "SYSTEM.md or APPEND_SYSTEM.md", session: "the session", mission: "the mission",
};
export const fieldWords = (name) => FIELDS[name] || name;

// What an agent does with a file: a sign and a word.
export const READS = {
  loaded: ["●", "loaded"], truncated: ["◐", "truncated"], listed: ["≡", "listed"],
  on_demand: ["○", "loaded on demand"], same: ["=", "same file"], skipped: ["–", "skipped"],
};
export const readingOf = (use) => (use?.same_as ? "same" : use?.how || "skipped");

export const number = (value) => whole.format(value);

// `1 call`, `2 calls`.
export const count = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export const bytes = (n) => count(n, "byte");

// An estimate says so.
export const tokens = (value, sheet) => `${sheet && !sheet.exact && value ? "~" : ""}${whole.format(value)}`;

// A piece without text, where a file is truncated, has none, and the answer leaves that out.
export const tokensOf = (piece) => piece.tokens || 0;

export const percent = (share) => (share > 0 && share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`);

export function signed(n) {
  if (n === 0) return "±0";
  return `${n > 0 ? "+" : "−"}${number(Math.abs(n))}`;
}

const isUnknown = (value) => value === null || value === undefined;

// Two figures that count, however small.
export function dollars(value) {
  if (isUnknown(value)) return "unknown";
  if (value === 0) return "$0";
  return `$${value >= 1 ? digits(value, 2) : value.toPrecision(2)}`;
}

// A price as bills have it; of less than ten cents, four digits. Commands write the same: text/words.py.
export function money(value) {
  if (isUnknown(value)) return "unknown";
  if (value > 0 && value < 0.00005) return "< $0.0001";
  return `$${digits(value, value >= 0.1 || value === 0 ? 2 : 4)}`;
}

const digits = (value, n) => value.toLocaleString(locale, { minimumFractionDigits: n, maximumFractionDigits: n });

// The same, where not every price is known.
export function bound(value, atLeast, shown = money) {
  if (!atLeast || isUnknown(value)) return shown(value);
  return `at least ${value > 0 && value < 0.00005 ? `$${digits(value, 6)}` : shown(value)}`;
}

// An agent's own prompt is not ours to show, so that a request of its is longer and costs more than what is here.
export const hasOwnPrompt = (sheet) => sheet.lacks_own_prompt;

export function seconds(milliseconds) {
  if (isUnknown(milliseconds)) return "";
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${digits(milliseconds / 1000, 1)} s`;
}

export function clock(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleTimeString(locale, { hour12: false });
}

// A day and a time, for what is of several days.
export function moment(iso) {
  const at = new Date(iso);
  const parts = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false };
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleString(locale, parts);
}

const SOURCES = {
  file: "file", state: "value", rule: "rule", recipe: "the recipe's own text", hook: "added by a hook",
};
const TIERS = {
  "built in": "built in",
  user: "yours, from your home or your settings",
  project: "from this project",
  dependency: "written by others, installed in this project",
  remote: "fetched from elsewhere",
  data: "a value",
};
export const sourceKind = (source) => SOURCES[source.kind] || source.kind;
export const tierWords = (tier) => TIERS[tier] || tier;
