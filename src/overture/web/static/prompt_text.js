// The text of a prompt, section by section: drawn, pointed at, and searched.
import { Component } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { count, number, PACES, percent, tokens } from "overture/words.js";

const COLUMNS = 76; // of a line, at the usual width
const CHUNK = 60; // lines that the browser lays out together, once they come near
const MOST_HITS = 2000;

// `paces` are the words for how often a section changes; one without words has no tag.
// `lines` are those that the newest save changed, by section.
export function PromptText({ sheet, paces = PACES, lines = {} }) {
  const names = new Set([...sheet.blocks, ...sheet.messages].map((block) => block.name));
  const [partly, silent] = [true, false].map((said) => sheet.omitted.filter((each) => names.has(each.name) === said));
  return html`
    ${sheet.blocks.map((block, index) => html`
      <${Block} key=${block.name} block=${block} index=${index} sheet=${sheet} paces=${paces}
        marked=${lines[block.name]} />
      ${partly.filter((each) => each.name === block.name).map((each) => html`
        <p class="left-out foreign">${each.reason}</p>`)}`)}
    ${sheet.messages.length > 0 && html`
      <h2 class="message-head">In the user's message, not in the system prompt</h2>`}
    ${sheet.messages.map((block, index) => html`
      <${Block} key=${`message-${block.name}`} block=${block} index=${index} sheet=${sheet} paces=${paces}
        messages />`)}
    ${silent.length > 0 && html`<${Silent} all=${silent} />`}`;
}

// Sections that say nothing here: one line, which opens.
function Silent({ all }) {
  return html`
    <details class="left-out silent">
      <summary>${count(all.length, "section is empty here", "sections are empty here")}</summary>
      <ul>${all.map((each) => html`
        <li><b class="foreign">${each.name}</b> <span class="foreign">${each.reason}</span></li>`)}</ul>
    </details>`;
}

// Drawn anew only when the block is another one: the page keeps those that stay the same.
class Block extends Component {
  shouldComponentUpdate(next) {
    const had = this.props;
    return next.block !== had.block || next.index !== had.index || next.marked !== had.marked
      || next.sheet.exact !== had.sheet.exact;
  }

  render({ block, index, sheet, messages, paces, marked }) {
    const lines = linesOf(block);
    const chunks = [];
    for (let at = 0; at < lines.length; at += CHUNK) chunks.push(lines.slice(at, at + CHUNK));
    const id = messages ? `message-${block.name}` : `block-${block.name}`;
    return html`
      <section class="block pace-${block.pace}" id=${id} data-name=${block.name} aria-label=${block.name}>
        <header tabindex="0" data-step="top">
          <h2 class="foreign">${block.name}</h2>
          ${paces[block.pace] && html`<span class="tag pace-${block.pace}">${paces[block.pace]}</span>`}
          <span class="spring"></span>
          <span class="number">${tokens(block.tokens, sheet)}<span class="quiet"> tokens</span></span>
          ${!messages && html`<span class="number share quiet">${percent(block.share)}</span>`}
        </header>
        <div class="body">${chunks.map((chunk, at) => html`
          <${Chunk} key=${at} lines=${chunk} index=${index} sheet=${sheet} block=${block} first=${at * CHUNK}
            all=${lines} messages=${messages} marked=${marked} />`)}</div>
      </section>`;
  }
}

// The text of a block as lines of runs: stretches of one source. A line break belongs to the run that it ends.
function linesOf(block) {
  const lines = [[]];
  block.pieces.forEach((piece, index) => {
    let line = piece.line;
    const parts = piece.text.split("\n");
    parts.forEach((text, part) => {
      const last = part === parts.length - 1;
      if (text || !last || (piece.mark && !piece.text)) {
        lines.at(-1).push({ text: last ? text : `${text}\n`, piece: index, line, mark: piece.mark });
      }
      if (!last) {
        lines.push([]);
        if (line !== null && line !== undefined) line += 1;
      }
    });
  });
  return lines.at(-1).length ? lines : lines.slice(0, -1);
}

// Far from what one sees, a chunk is its bare text: elements for each run take the browser a second in a long prompt.
function Chunk(props) {
  const { lines, first, marked } = props;
  const [near, setNear] = useState(first === 0);
  const box = useRef(null);
  const isWhole = near || hasMarks(lines, first, marked);
  useEffect(() => (isWhole ? undefined : watchNear(box.current, () => setNear(true))), [isWhole]);
  const place = (element) => { box.current = element; tall(lines)(element); };
  if (isWhole) return html`<div class="chunk" ref=${place}><${Rows} ...${props} /></div>`;
  return html`<div class="chunk far" ref=${place}><div class="text-row"><span class="line">
    <span class="run foreign" tabindex="-1">${textOf(lines)}</span></span></div></div>`;
}

const textOf = (lines) => lines.map((runs) => runs.map((run) => run.text).join("")).join("");

// What was changed, cut or saved just now has to be there for whoever looks for it.
const hasMarks = (lines, first, marked = {}) =>
  lines.some((runs, at) => marked[first + at] || runs.some((run) => run.mark));

// Once it is about to be seen, or somebody finds a word in it.
function watchNear(element, then) {
  const options = { root: element.closest(".prompt-column"), rootMargin: "1200px" };
  const watch = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && then(), options);
  watch.observe(element);
  element.addEventListener("near", then);
  return () => { watch.disconnect(); element.removeEventListener("near", then); };
}

function Rows({ lines, index, sheet, block, first, all, messages, marked = {} }) {
  return html`${lines.map((runs, at) => {
    const mark = marked[first + at];
    return html`
      ${label(sheet, block, runs, all[first + at - 1])}
      <div class="text-row ${mark ? `is-${mark}` : ""}" key=${at} data-line=${runs[0]?.line ?? undefined}>
        ${mark && html`<span class="aside-word">${mark === "new" ? "changed:" : "removed:"}</span>`}
        <span class="line">${runs.map((run) => html`<${Run} run=${run} index=${index} messages=${messages} />`)}</span>
      </div>`;
  })}`;
}

// As tall as it will be, more or less, so that the scroll bar tells the truth before the browser has laid it out.
function tall(lines) {
  const length = (runs) => runs.reduce((sum, run) => sum + run.text.length, 0);
  const rows = lines.reduce((sum, runs) => sum + Math.max(Math.ceil(length(runs) / COLUMNS), 1), 0);
  return (element) => { if (element) element.style.containIntrinsicBlockSize = `auto ${rows * 20}px`; };
}

function Run({ run, index, messages }) {
  const place = {
    "data-block": index, "data-piece": run.piece, "data-line": run.line ?? undefined,
    "data-messages": messages ? "1" : undefined, tabindex: "-1",
  };
  if (!run.mark) return html`<span class="run foreign" ...${place}>${run.text}</span>`;
  return html`<mark class="run foreign mark-${run.mark.kind}" title=${run.mark.note} data-ends="[text ends here]"
    ...${place}>${run.text}</mark>`;
}

// Above a line stands which file it is from, where that is not so of the line before.
function label(sheet, block, runs, above) {
  const sourceOf = (run) => sheet.sources[block.pieces[run.piece].source];
  const source = runs[0] && sourceOf(runs[0]);
  if (!source || source.kind !== "file" || (above && sourceOf(above[0]).path === source.path)) return null;
  return html`<span class="margin foreign">${source.label.replace(/:\d+$/, "")}</span>`;
}

export function showBlock(name) {
  const found = document.getElementById(`block-${name}`) || document.getElementById(`message-${name}`);
  if (!found) return;
  const head = found.querySelector("header");
  head.classList.remove("settles");
  found.scrollIntoView({ block: "start" });
  // What lies above is laid out only now that it came near, and has its true height.
  requestAnimationFrame(() => requestAnimationFrame(() => {
    found.scrollIntoView({ block: "start" });
    head.classList.add("settles");
  }));
}

// Which run an element is in: runs know their place in the sheet.
function runAt(element) {
  const run = element.closest?.(".run");
  if (!run) return null;
  const { block, piece, line, messages } = run.dataset;
  const { name } = run.closest("section").dataset;
  return {
    block: Number(block), piece: Number(piece), line: line ? Number(line) : null, name, messages: messages === "1",
  };
}

export function pieceOf(sheet, at) {
  const block = (at.messages ? sheet.messages : sheet.blocks)[at.block];
  const piece = block?.pieces[at.piece];
  return piece ? { block, piece, source: sheet.sources[piece.source] } : null;
}

// By how many, and whether within a line.
const STEPS = { ArrowDown: [1, false], ArrowUp: [-1, false], ArrowRight: [1, true], ArrowLeft: [-1, true] };

// Pointing at the text: what is under the pointer or has the focus, and what was clicked to stay in view.
export function usePointing(sheet, onPin = () => {}) {
  const [seen, setSeen] = useState(null);
  const [pinned, setPinned] = useState(null);
  const look = useCallback((event) => setSeen(runAt(event.target)), []);
  const pin = (at) => {
    if (!at) return;
    setPinned(at);
    onPin(at);
  };
  useEffect(() => {
    setPinned((at) => (at && (at.messages ? sheet.messages : sheet.blocks)[at.block]?.name === at.name ? at : null));
  }, [sheet]);

  const click = (event) => { if (getSelection().isCollapsed) pin(runAt(event.target)); };
  const key = (event) => {
    if (event.key in STEPS && !event.metaKey && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      stepRun(event.target, ...STEPS[event.key]);
    }
    if (event.key === "Enter") pin(runAt(event.target));
    if (event.key === "Escape" && pinned) {
      event.preventDefault();
      setPinned(null);
    }
  };
  const handlers = { onMouseOver: look, onFocusIn: look, onClick: click, onKeyDown: key };
  return { at: pinned || seen, pinned: Boolean(pinned), letGo: () => setPinned(null), handlers };
}

// To the next line of the text, or within a line to the next source; from a section's head to its first line.
function stepRun(from, by, within) {
  const run = from.closest(".run");
  const all = [...document.querySelectorAll(within ? ".prompt-text .run" : ".prompt-text .text-row")];
  const next = run && all[all.indexOf(within ? run : run.closest(".text-row")) + by];
  const found = run ? (within ? next : next?.querySelector(".run")) : from.closest("section")?.querySelector(".run");
  found?.focus();
  found?.scrollIntoView({ block: "nearest" });
}

// Finding in the prompt: every hit is lit, Enter goes from one to the next.
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
      else setAt((had) => Math.min(had, Math.max(found.length - 1, 0))); // the prompt changed: nobody is moved
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
  const all = `${number(hits.length)}${hits.length === MOST_HITS ? "+" : ""}`;
  return html`
    <div class="find" role="search">
      <input class="field" type="search" data-find placeholder="Find in the prompt" aria-label="Find in the prompt"
        value=${word} onInput=${(event) => setWord(event.target.value)} onKeyDown=${key} />
      <span class="small quiet" role="status">${word && (hits.length ? `${at + 1} of ${all}` : "nothing found")}</span>
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
    const text = hits < MOST_HITS ? chunk.textContent.toLowerCase() : "";
    const more = text.split(word.toLowerCase()).length - 1;
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
  while (walk.nextNode() && found.length < MOST_HITS) {
    const node = walk.currentNode;
    if (!node.parentElement.closest(".run")) continue;
    const text = node.data.toLowerCase();
    let from = text.indexOf(wanted);
    while (from >= 0 && found.length < MOST_HITS) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, Math.min(from + wanted.length, node.length));
      found.push(range);
      from = text.indexOf(wanted, from + wanted.length);
    }
  }
  return found;
}
