// What became of a call's cache, in a sign and words; and the parts of its input.
import { say } from "overture/say.js";

const VERDICTS = {
  hit: ["good", "✓", say("fromTheCache")],
  "first call": ["plain", "○", say("firstCall")],
  expired: ["bad", "▲", say("expired")],
  "prefix changed": ["bad", "▲", say("prefixChanged")],
  "below the minimum": ["plain", "–", say("belowTheMinimum")],
  shortened: ["plain", "–", say("shortened")],
  "no marks": ["bad", "▲", say("noMarks")],
  "marks moved": ["bad", "▲", say("marksMoved")],
  "sent meanwhile": ["bad", "▲", say("sentMeanwhile")],
  "model changed": ["bad", "▲", say("modelChanged")],
  "settings changed": ["bad", "▲", say("settingsChanged")],
  evicted: ["bad", "▲", say("evictedOrRoutedAway")],
  unknown: ["bad", "▲", say("causeUnknown")],
  failed: ["failed", "✕", say("failed")],
};
const WAITS = ["plain", "…", say("beingLookedAt")];

export function verdictOf(call) {
  const [look, sign, word] = VERDICTS[call.reason] || WAITS;
  return { look: look === "bad" && !call.lost ? "plain" : look, sign, word };
}

export function whyWords(call) {
  return [call.cause, call.byte !== undefined && call.byte !== null && say("byteN", { n: call.byte })].filter(Boolean).join(", ");
}

// What no field says is nothing.
export function partsOf(call) {
  const tokens = call.tokens || 0, read = call.read || 0, written = call.written || 0;
  return { tokens, read, written, fresh: Math.max(tokens - read - written, 0), lost: call.lost || 0 };
}

export function barWords(call) {
  const { tokens, read, written, fresh } = partsOf(call);
  return say("tokensTokensReadCacheWritten", { tokens, read, written, fresh });
}

// Whether a provider said what it counted: of a dry run, output and cache reads are unknown and not none.
export const isCounted = (answer) => answer.calls.some((call) => call.said !== false);

export const LEGEND = [["read", say("fromTheCache")], ["written", say("writtenToTheCache")], ["fresh", say("atTheFullPrice")]];

// Sizes are set by script: the page allows no styles in its markup.
export const grown = (value) => (element) => { if (element) element.style.flexGrow = String(value); };
