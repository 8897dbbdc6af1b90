// What the newest save changed: by how many tokens, and which lines of which section.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, inside } from "overture/server.js";

// `seen` is the turn that somebody looked at last in Turns.
export function useChange(sent, looking) {
  const [change, setChange] = useState(null);
  const [seen, setSeen] = useState(0);
  const last = useRef(null);
  useEffect(() => {
    const before = last.current;
    last.current = sent;
    if (!sent || inside) return;
    if (!before || sent.turn < before.turn) setSeen(sent.turn);
    if (!before || sent.turn === before.turn) return;
    setChange(isEdit(before, sent) ? { a: before.turn, b: sent.turn, tokens: sent.tokens - before.tokens, count: 0, lines: {} } : null);
    if (isEdit(before, sent)) ask(`/page/diff?a=${before.turn}&b=${sent.turn}`).then((diff) => setChange((had) => (had?.b === diff.b ? { ...had, ...linesOf(diff) } : had)), () => {});
  }, [sent]);
  useEffect(() => { if (looking && sent) setSeen(sent.turn); }, [looking, sent]);
  return { change, unseen: sent && seen ? Math.max(sent.turn - seen, 0) : 0, hide: () => setChange(null) };
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
