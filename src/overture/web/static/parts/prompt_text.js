// The text of the prompt, section by section; what is empty is one line at its end.
import { Component } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { linesOf } from "overture/parts/runs.js";
import { say } from "overture/say.js";
import { PACES, percent, tokens } from "overture/words.js";

const COLUMNS = 76; // of a line, at the usual width
const CHUNK = 60; // lines that the browser lays out together, once they come near

// `paces` are the words for how often a section changes; one without words has no tag.
// `lines` are those that the newest save changed, by section.
export function PromptText({ sheet, paces = PACES, lines = {} }) {
  const names = new Set([...sheet.blocks, ...sheet.messages].map((block) => block.name));
  const [partly, silent] = [true, false].map((said) => sheet.omitted.filter((each) => names.has(each.name) === said));
  return html`
    ${sheet.blocks.map((block, index) => html`
      <${Block} key=${block.name} block=${block} index=${index} sheet=${sheet} paces=${paces} marked=${lines[block.name]} />
      ${partly.filter((each) => each.name === block.name).map((each) => html`<p class="left-out foreign">${each.reason}</p>`)}`)}
    ${sheet.messages.length > 0 && html`<h2 class="message-head">${say("UsersMessageNotSystemPrompt")}</h2>`}
    ${sheet.messages.map((block, index) => html`<${Block} key=${`message-${block.name}`} block=${block} index=${index} sheet=${sheet} paces=${paces} messages />`)}
    ${silent.length > 0 && html`<${Silent} all=${silent} />`}`;
}

// Sections that say nothing here: one line, which opens.
function Silent({ all }) {
  return html`
    <details class="left-out silent"><summary>${say("nSectionsSayNothing", { n: all.length })}</summary>
      <ul>${all.map((each) => html`<li><b class="foreign">${each.name}</b> <span class="foreign">${each.reason}</span></li>`)}</ul>
    </details>`;
}

// Drawn anew only when the block is another one: the page keeps those that stay the same.
class Block extends Component {
  shouldComponentUpdate(next) {
    return next.block !== this.props.block || next.index !== this.props.index || next.marked !== this.props.marked || next.sheet.exact !== this.props.sheet.exact;
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
          <span class="number">${tokens(block.tokens, sheet)}<span class="quiet"> ${say("tokens")}</span></span>
          ${!messages && html`<span class="number share quiet">${percent(block.share)}</span>`}
        </header>
        <div class="body">${chunks.map((chunk, at) => html`<${Chunk} key=${at} lines=${chunk} index=${index} sheet=${sheet} block=${block} first=${at * CHUNK} all=${lines} messages=${messages} marked=${marked} />`)}</div>
      </section>`;
  }
}

// Far from what one sees, a chunk is its bare text: an element for each run takes the browser a second in a long prompt.
function Chunk(props) {
  const { lines, first, marked } = props;
  const [near, setNear] = useState(first === 0);
  const box = useRef(null);
  const isWhole = near || hasMarks(lines, first, marked);
  useEffect(() => (isWhole ? undefined : watchNear(box.current, () => setNear(true))), [isWhole]);
  return html`<div class="chunk ${isWhole ? "" : "far"}" ref=${(element) => { box.current = element; tall(lines)(element); }}>${isWhole
    ? html`<${Rows} ...${props} />`
    : html`<div class="text-row"><span class="line"><span class="run foreign" tabindex="-1">${lines.map((runs) => runs.map((run) => run.text).join("")).join("")}</span></span></div>`}</div>`;
}

// What was changed, cut or saved just now has to be there for whoever looks for it.
const hasMarks = (lines, first, marked = {}) => lines.some((runs, at) => marked[first + at] || runs.some((run) => run.mark));

// Once it is about to be seen, or somebody finds a word in it.
function watchNear(element, then) {
  const watch = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && then(), { root: element.closest(".prompt-column"), rootMargin: "1200px" });
  watch.observe(element);
  element.addEventListener("near", then);
  return () => { watch.disconnect(); element.removeEventListener("near", then); };
}

function Rows({ lines, index, sheet, block, first, all, messages, marked = {} }) {
  return html`${lines.map((runs, at) => html`
    ${label(sheet, block, runs, all[first + at - 1])}
    <div class="text-row ${marked[first + at] ? `is-${marked[first + at]}` : ""}" key=${at} data-line=${runs[0]?.line ?? undefined}>
      ${marked[first + at] && html`<span class="aside-word">${marked[first + at] === "new" ? say("changedLabel") : say("removedLabel")}</span>`}<span class="line">${runs.map((run) => html`<${Run} run=${run} index=${index} messages=${messages} />`)}</span>
    </div>`)}`;
}

// As tall as it will be, more or less, so that the scroll bar tells the truth before the browser has laid it out.
function tall(lines) {
  const rows = lines.reduce((sum, runs) => sum + Math.max(Math.ceil(runs.reduce((length, run) => length + run.text.length, 0) / COLUMNS), 1), 0);
  return (element) => { if (element) element.style.containIntrinsicBlockSize = `auto ${rows * 20}px`; };
}

function Run({ run, index, messages }) {
  const place = { "data-block": index, "data-piece": run.piece, "data-line": run.line ?? undefined, "data-messages": messages ? "1" : undefined };
  if (!run.mark) return html`<span class="run foreign" tabindex="-1" ...${place}>${run.text}</span>`;
  return html`<mark class="run foreign mark-${run.mark.kind}" tabindex="-1" title=${run.mark.note} data-ends=${say("textEndsHere")} ...${place}>${run.text}</mark>`;
}

// Above a line stands which file it is from, where that is not so of the line before.
function label(sheet, block, runs, above) {
  const piece = runs[0] && block.pieces[runs[0].piece];
  const source = piece && sheet.sources[piece.source];
  if (!source || source.kind !== "file" || (above && sheet.sources[block.pieces[above[0].piece].source].path === source.path)) return null;
  return html`<span class="margin foreign">${source.label.replace(/:\d+$/, "")}</span>`;
}
