// A text with what was taken out and what was put in, word by word. Long stretches of one kind are folded.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { count } from "overture/words.js";

const AROUND = 3; // lines left beside a change
const LEAST = 4; // lines that are worth folding
const MOST = 80; // of lines that are all new or all gone

const SIGNS = { same: " ", new: "+", gone: "−", both: "±" };
const SPOKEN = { same: "", new: "added:", gone: "removed:", both: "changed:" };
const FOLDED = {
  same: (n) => `${count(n, "line")} the same`,
  new: (n) => count(n, "more line, all new", "more lines, all new"),
  gone: (n) => count(n, "more line, all removed", "more lines, all removed"),
};

export function WordDiff({ words }) {
  return html`<div class="word-diff">${stretches(linesOf(words)).map((each, at) => html`
    <${Stretch} key=${at} ...${each} />`)}</div>`;
}

function Stretch({ lines, folded, kind }) {
  const [open, setOpen] = useState(false);
  const unfolded = useRef(null);
  useEffect(() => { if (open) unfolded.current.focus(); }, [open]); // the button that had the focus is gone
  if (folded && !open) {
    return html`<button class="fold" onClick=${() => setOpen(true)}>… ${FOLDED[kind](lines.length)} …</button>`;
  }
  return html`<div ref=${unfolded} tabindex=${open ? "-1" : undefined}>${lines.map((line, at) => html`
    <${Line} key=${at} line=${line} />`)}</div>`;
}

function Line({ line }) {
  const kind = kindOf(line);
  return html`<div class="word-line is-${kind}"><span class="sign" aria-hidden="true">${SIGNS[kind]}</span>
    ${SPOKEN[kind] && html`<span class="aside-word">${SPOKEN[kind]}</span>`}
    <span class="foreign text">${line.map(([what, text]) => mark(what, text))}</span></div>`;
}

function mark(what, text) {
  if (what === "new") return html`<ins class="word-new">${text}</ins>`;
  return what === "gone" ? html`<del class="word-gone">${text}</del>` : text;
}

// A line break belongs to the line that it ends, and is marked there as what it is.
function linesOf(words) {
  const lines = [[]];
  for (const [what, text] of words) {
    text.split("\n").forEach((part, at) => {
      if (at > 0) lines.push([]);
      if (at > 0) lines.at(-2).end = what;
      if (part) lines.at(-1).push([what, part]);
    });
  }
  return lines.at(-1).length ? lines : lines.slice(0, -1);
}

function kindOf(line) {
  const kinds = new Set(line.map(([what]) => what));
  if (!kinds.size) return line.end || "same";
  return kinds.size === 1 ? [...kinds][0] : "both";
}

// Runs of lines of one kind, and of each what is folded.
function stretches(lines) {
  const runs = [];
  for (const line of lines) {
    const kind = kindOf(line);
    if (runs.at(-1)?.kind === kind) runs.at(-1).lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  const isEnd = (at) => at === runs.length - 1;
  return runs.flatMap((run, at) => (run.kind === "same" ? aroundChanges(run, at === 0, isEnd(at)) : cutShort(run)));
}

function aroundChanges({ lines, kind }, first, last) {
  const from = first ? 0 : AROUND, to = lines.length - (last ? 0 : AROUND);
  if (to - from < LEAST) return [{ lines, kind }];
  return [
    { lines: lines.slice(0, from), kind }, { lines: lines.slice(from, to), kind, folded: true },
    { lines: lines.slice(to), kind },
  ];
}

function cutShort({ lines, kind }) {
  if (lines.length <= MOST + LEAST || kind === "both") return [{ lines, kind }];
  return [{ lines: lines.slice(0, MOST), kind }, { lines: lines.slice(MOST), kind, folded: true }];
}
