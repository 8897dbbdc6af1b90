// The same search in a page that is a file: through the calls whose texts it holds.
import { holds } from "overture/parts/one_call/marked.js";
import { inside } from "overture/server.js";

const AROUND = 80; // characters on either side

export function searchInside(words) {
  const texts = inside["/page/texts"];
  const held = new Set(texts.flatMap((text, at) => (holds(text, words) ? [at] : []))); // each is looked through once
  const calls = inside["/page/calls"].calls;
  const found = calls.flatMap((row) => {
    const place = placeIn(row.id, words, held, texts);
    return place ? [{ id: row.id, at: row.at, model: row.model, program: inside[`/page/call/${row.id}`].program, ...place }] : [];
  });
  return { found, looked: calls.filter((row) => `/page/call/${row.id}/messages` in inside).length, total: calls.length, left_out: 0 };
}

// The first place of the words in a call, the newest message before older ones.
function placeIn(id, words, held, texts) {
  const call = inside[`/page/call/${id}`];
  const at = (where, name, text) => ({ where, name, excerpt: excerpt(text, words) });
  if (holds(call.error || "", words)) return at("error", "", call.error);
  if (holds(call.reply, words)) return at("answer", "", call.reply);
  const message = (inside[`/page/call/${id}/messages`] || []).findLast((row) => held.has(row.at));
  if (message) return at("message", (message.what ?? "text") === "text" ? message.role : message.what, texts[message.at]);
  const block = (inside[`/page/call/${id}/prompt`]?.sheet.blocks || []).map((each) => each.pieces.map((piece) => piece.text).join("")).find((text) => holds(text, words));
  if (block) return at("system", "", block);
  const tools = inside[`/page/call/${id}/tools`];
  const tool = (tools?.same_as ? inside[tools.same_as] : tools || []).find((each) => holds(JSON.stringify(each), words));
  return tool ? at("tool", tool.name, JSON.stringify(tool)) : null;
}

function excerpt(text, words) {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  const start = Math.max(at - AROUND, 0), end = at + words.length + AROUND;
  return `${start > 0 ? "…" : ""}${text.slice(start, end).replace(/\s+/g, " ").trim()}${end < text.length ? "…" : ""}`;
}
