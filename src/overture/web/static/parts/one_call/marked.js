// A text in which the words that were looked for are lit; one of them is brought into view.
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

// `there` becomes true once the texts are drawn. Of messages the newest is meant, which a search finds first.
export function useFound(words, there = true, newest = false) {
  useEffect(() => {
    if (!words || !there) return;
    const all = [...document.querySelectorAll("main mark.hit")];
    const wanted = newest ? all.at(-1)?.closest("li").querySelector("mark.hit") : all[0];
    wanted?.scrollIntoView({ block: "center" });
  }, [words, there]);
}
