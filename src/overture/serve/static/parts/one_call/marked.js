// A text in which the words that were looked for are lit; the first of them is brought into view.
import { useEffect } from "preact/hooks";
import { html } from "overture/html.js";

const MOST = 500; // marks in one text

export function Marked({ text, words }) {
  return words ? html`${cut(text, words).map((part, at) => (at % 2 ? html`<mark class="hit">${part}</mark>` : part))}` : text;
}

// What stands between hits, and hits, in turn.
function cut(text, words) {
  const parts = [];
  const small = text.toLowerCase(), wanted = words.toLowerCase();
  let from = 0;
  for (let at = small.indexOf(wanted); at >= 0 && parts.length < 2 * MOST; at = small.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

export const holds = (text, words) => Boolean(words) && text.toLowerCase().includes(words.toLowerCase());

// `there` becomes true once the texts are drawn.
export function useFound(words, there = true) {
  useEffect(() => {
    if (words && there) document.querySelector("main mark.hit")?.scrollIntoView({ block: "center" });
  }, [words, there]);
}
