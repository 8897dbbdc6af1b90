// Numbers and names as people read them.
const whole = new Intl.NumberFormat("en");

export const PACES = { static: "never changes", session: "once a session", turn: "every turn" };
export const VIEW_NAMES = { prompt: "Prompt", map: "Map", turns: "Turns", play: "Play", agents: "Agents", files: "Files", check: "Check", calls: "Calls" };

// What a prompt is made of, by the names that the state has for it.
const FIELDS = {
  context_files: "instruction files", workspace_files: "workspace files", skills: "skills", tools: "tools", now: "the clock",
  runtime: "facts of the machine", memories: "memories", task: "the task", channel: "the channel", agent: "who the agent is",
  user: "who the user is", overrides: "SYSTEM.md or APPEND_SYSTEM.md", session: "the session", mission: "the mission",
};
export const fieldWords = (name) => FIELDS[name] || name;

// How an agent reads a file: a sign and a word.
export const READS = { loaded: ["●", "whole"], cut: ["◐", "in part"], lazy: ["○", "later"], unread: ["–", "never"] };

export function number(value) {
  return whole.format(value);
}

// An estimate says so.
export function tokens(value, sheet) {
  return `${sheet && !sheet.exact ? "~" : ""}${whole.format(value)}`;
}

export function many(count, noun, nouns = `${noun}s`) {
  return `${whole.format(count)} ${count === 1 ? noun : nouns}`;
}

export function percent(share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return `${Math.round(share * 100)} %`;
}

// Two figures that count, however small.
export function dollars(value) {
  if (value === null || value === undefined) return "not known";
  if (value === 0) return "$0";
  return `$${value >= 1 ? value.toFixed(2) : value.toPrecision(2).replace(/e-\d+$/, (e) => e)}`;
}

// A price as bills have it; of less than ten cents, four digits.
export function money(value) {
  if (value === null || value === undefined) return "not known";
  if (value > 0 && value < 0.00005) return "< $0.0001";
  return `$${value.toFixed(value >= 0.1 || value === 0 ? 2 : 4)}`;
}

export function clock(iso) {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toLocaleTimeString("en", { hour12: false });
}

const SOURCES = { file: "file", state: "value", rule: "rule", recipe: "the recipe's own words", hook: "added by a hook" };
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
