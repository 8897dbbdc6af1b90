// What the newest save changed: by how many tokens, and which lines of which section.
import { useEffect, useRef, useState } from "preact/hooks";
import { canTry } from "overture/address.js";
import { ask, inside } from "overture/server.js";

// `unseen` are the turns that nobody has looked at in Turns. What was chosen on the page is none of them.
export function useChange(sent, looking) {
  const [change, setChange] = useState(null);
  const [unseen, setUnseen] = useState(0);
  const last = useRef(null);
  useEffect(() => {
    const before = last.current;
    last.current = sent;
    if (!sent || inside) return;
    if (!before || sent.turn < before.turn) setUnseen(0);
    if (!before || sent.turn === before.turn) return;
    if (isEdit(before, sent) || !canTry) setUnseen((n) => n + Math.max(sent.turn - before.turn, 0));
    setChange(isEdit(before, sent) ? { a: before.turn, b: sent.turn, tokens: sent.tokens - before.tokens, count: 0, lines: {} } : null);
    if (isEdit(before, sent)) ask(`/page/diff?a=${before.turn}&b=${sent.turn}`).then((diff) => setChange((had) => (had?.b === diff.b ? { ...had, ...linesOf(diff) } : had)), () => {});
  }, [sent]);
  useEffect(() => { if (looking) setUnseen(0); }, [looking, sent]);
  return { change, unseen, hide: () => setChange(null) };
}

// Another agent or recipe is no edit, and neither is another model.
const isEdit = (before, sent) => sent.turn > before.turn && sent.recipe === before.recipe && sent.fingerprint !== before.fingerprint;

function linesOf({ blocks, source }) {
  const lines = Object.fromEntries(blocks.filter((block) => block.change !== "same" && block.words.length).map((block) => [block.name, changedLines(block.words)]));
  return { lines, source, count: Object.values(lines).reduce((sum, marked) => sum + Object.keys(marked).length, 0) };
}

// Lines of the newer text by their index: `new` where words came, `gone` where words only went.
export function changedLines(words) {
  const marked = {};
  let line = 0;
  for (const [what, text] of words) {
    if (what === "gone") marked[line] ||= "gone";
    if (what === "gone") continue;
    const parts = text.split("\n");
    parts.forEach((part, at) => { if (what === "new" && (part || at < parts.length - 1)) marked[line + at] = "new"; });
    line += parts.length - 1;
  }
  return marked;
}
