// Finding in the prompt: every hit is lit, Enter goes from one to the next.
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { number } from "overture/words.js";

const MOST = 2000;

export function Find({ text, sheet, words = "" }) {
  const [word, setWord] = useState(words);
  const [hits, setHits] = useState([]);
  const [at, setAt] = useState(0);
  const sought = useRef("");
  useEffect(() => {
    const isNew = word !== sought.current;
    sought.current = word;
    const show = () => {
      const found = word ? ranges(text.current, word) : [];
      setHits(found);
      if (isNew) goTo(found, 0);
      else setAt((had) => Math.min(had, Math.max(found.length - 1, 0))); // the prompt changed: nobody wants to be moved
      light("found", found);
    };
    const late = word && drawHits(text.current, word) ? setTimeout(show) : show();
    return () => { clearTimeout(late); light("found", []); };
  }, [word, sheet]);
  useEffect(() => light("found-now", hits.slice(at, at + 1)), [hits, at]);
  const goTo = (all, next) => {
    setAt(next);
    all[next]?.startContainer.parentElement.scrollIntoView({ block: "center" });
  };
  const key = (event) => {
    if (event.key !== "Enter" || !hits.length) return;
    event.preventDefault();
    goTo(hits, (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length);
  };
  return html`
    <div class="find" role="search">
      <input class="field" type="search" data-find placeholder=${say("FindInThePrompt")} aria-label=${say("FindInThePrompt")} value=${word} onInput=${(event) => setWord(event.target.value)} onKeyDown=${key} />
      <span class="small quiet" role="status">${word && (hits.length ? say("atOfAll", { at: String(at + 1), all: `${number(hits.length)}${hits.length === MOST ? "+" : ""}` }) : say("nothingFound"))}</span>
    </div>`;
}

function light(name, found) {
  if (typeof CSS === "undefined" || !CSS.highlights) return;
  if (found.length) CSS.highlights.set(name, new Highlight(...found));
  else CSS.highlights.delete(name);
}

// Has the chunks drawn in which the word is, as far as hits are shown; whether there were any that were not.
function drawHits(root, word) {
  let hits = 0;
  const far = [...root.querySelectorAll(".chunk")].filter((chunk) => {
    const more = hits < MOST ? chunk.textContent.toLowerCase().split(word.toLowerCase()).length - 1 : 0;
    hits += more;
    return more && chunk.classList.contains("far");
  });
  far.forEach((chunk) => chunk.dispatchEvent(new Event("near")));
  return far.length > 0;
}

function ranges(root, word) {
  const found = [];
  const wanted = word.toLowerCase();
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walk.nextNode() && found.length < MOST) {
    const node = walk.currentNode;
    if (!node.parentElement.closest(".run")) continue;
    const text = node.data.toLowerCase();
    for (let from = text.indexOf(wanted); from >= 0 && found.length < MOST; from = text.indexOf(wanted, from + wanted.length)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, Math.min(from + wanted.length, node.length));
      found.push(range);
    }
  }
  return found;
}
