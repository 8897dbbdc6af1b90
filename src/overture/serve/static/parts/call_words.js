// What became of a call's cache, in a sign and words; and the parts of its input.
import { number } from "overture/words.js";

const VERDICTS = {
  hit: ["good", "✓", "from the cache"],
  "first call": ["plain", "○", "first call"],
  expired: ["bad", "▲", "expired"],
  "prefix changed": ["bad", "▲", "prefix changed"],
  "below the minimum": ["plain", "–", "below the minimum"],
  shortened: ["plain", "–", "shortened"],
  "no marks": ["bad", "▲", "no marks"],
  "marks moved": ["bad", "▲", "marks moved"],
  "sent meanwhile": ["bad", "▲", "sent meanwhile"],
  "provider's own": ["bad", "▲", "the provider's own"],
  failed: ["failed", "✕", "failed"],
};
const WAITS = ["plain", "…", "being looked at"];

export function verdictOf(call) {
  const [look, sign, word] = VERDICTS[call.reason] || WAITS;
  return { look: look === "bad" && !call.lost ? "plain" : look, sign, word };
}

export function whyWords(call) {
  return [call.cause, call.byte !== undefined && call.byte !== null && `byte ${number(call.byte)}`].filter(Boolean).join(", ");
}

// What no field says is nothing.
export function partsOf(call) {
  const tokens = call.tokens || 0, read = call.read || 0, written = call.written || 0;
  return { tokens, read, written, fresh: Math.max(tokens - read - written, 0), lost: call.lost || 0 };
}

export function barWords(call) {
  const { tokens, read, written, fresh } = partsOf(call);
  return `${number(tokens)} tokens in: ${number(read)} from the cache, ${number(written)} written to it, ${number(fresh)} fresh`;
}

export const LEGEND = [["read", "from the cache"], ["written", "written to the cache"], ["fresh", "at the full price"]];

// Sizes are set by script: the page allows no styles in its markup.
export const grown = (value) => (element) => { if (element) element.style.flexGrow = String(value); };

export function milliseconds(value) {
  if (value === null || value === undefined) return "";
  return value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
