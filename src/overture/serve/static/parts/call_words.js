// What became of a call's cache, in a sign and words; and the parts of its input.
import { said, say } from "overture/said.js";

const VERDICTS = {
  hit: ["good", "✓", say("from the cache")],
  "first call": ["plain", "○", say("first call")],
  expired: ["bad", "▲", say("expired")],
  "prefix changed": ["bad", "▲", say("prefix changed")],
  "below the minimum": ["plain", "–", say("below the minimum")],
  shortened: ["plain", "–", say("shortened")],
  "no marks": ["bad", "▲", say("no marks")],
  "marks moved": ["bad", "▲", say("marks moved")],
  "sent meanwhile": ["bad", "▲", say("sent meanwhile")],
  "model changed": ["bad", "▲", say("model changed")],
  "settings changed": ["bad", "▲", say("settings changed")],
  evicted: ["bad", "▲", say("evicted or routed away")],
  unknown: ["bad", "▲", say("cause unknown")],
  failed: ["failed", "✕", say("failed")],
};
const WAITS = ["plain", "…", say("being looked at")];

export function verdictOf(call) {
  const [look, sign, word] = VERDICTS[call.reason] || WAITS;
  return { look: look === "bad" && !call.lost ? "plain" : look, sign, word };
}

export function whyWords(call) {
  return [said(call.cause), call.byte !== undefined && call.byte !== null && say("byte {n}", { n: call.byte })].filter(Boolean).join(", ");
}

// What no field says is nothing.
export function partsOf(call) {
  const tokens = call.tokens || 0, read = call.read || 0, written = call.written || 0;
  return { tokens, read, written, fresh: Math.max(tokens - read - written, 0), lost: call.lost || 0 };
}

export function barWords(call) {
  const { tokens, read, written, fresh } = partsOf(call);
  return say("{tokens} tokens in: {read} from the cache, {written} written to it, {fresh} fresh", { tokens, read, written, fresh });
}

export const LEGEND = [["read", say("from the cache")], ["written", say("written to the cache")], ["fresh", say("at the full price")]];

// Sizes are set by script: the page allows no styles in its markup.
export const grown = (value) => (element) => { if (element) element.style.flexGrow = String(value); };

// What a conversation is called: its kind is ours, and the first words behind it are somebody's.
export const talkName = (name) => said(name || "");
