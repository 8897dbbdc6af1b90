// The prompt, whole, as it is sent, with its size and price; beside it where the text under the pointer came from.
import { useEffect, useRef, useState } from "preact/hooks";
import { choose, href, stay, VIEWS } from "overture/address.js";
import { html } from "overture/html.js";
import { Find, PromptText, showBlock, usePointing } from "overture/prompt_text.js";
import { inside } from "overture/server.js";
import { SourcePanel } from "overture/source_panel.js";
import { pair } from "overture/views/turns.js";
import { copyText, grown, Icon, Typed } from "overture/widgets.js";
import { bound, count, dollars, hasOwnPrompt, number, percent, signed, tokens } from "overture/words.js";

const MAX_CUTS = 12;

export function PromptView({ page, place }) {
  const { sheet } = page;
  const text = useRef(null);
  const { at, pinned, letGo, handlers } = usePointing(sheet, (found) => stay("prompt", found.name));
  useEffect(() => { if (place) showBlock(place); }, [place]);
  return html`
    <div class="prompt-view">
      <div class="prompt-column">
        <${Summary} page=${page} />
        <${Find} text=${text} sheet=${sheet} />
        <div class="prompt-text" ref=${text} ...${handlers}>
          <${PromptText} sheet=${sheet} lines=${page.trying ? undefined : page.change?.lines} />
        </div>
        ${page.change && !page.trying && html`<${Change} change=${page.change} hide=${page.hide} />`}
      </div>
      <${SourcePanel} page=${page} at=${at} pinned=${pinned} onClose=${letGo} />
    </div>`;
}

// The first thing one sees: how long the prompt is, what that costs, and its sections as one bar.
function Summary({ page }) {
  const { sheet } = page;
  const files = new Set(sheet.sources.filter((source) => source.kind === "file").map((source) => source.path)).size;
  const without = hasOwnPrompt(sheet) && ", without the agent's own prompt and tools";
  return html`
    <div class="summary">
      <div class="summary-head">
        <h1>${tokens(sheet.tokens, sheet)} <span>tokens${without || " tell the model what to do"}</span></h1>
        <${Copy} sheet=${sheet} /></div>
      <p class="quiet">
        ${count(sheet.blocks.length, "section")} from ${count(files, "file")}${share(sheet)}${price(sheet)}</p>
      ${files === 0 && html`<p>No instruction file is part of this prompt.
        ${VIEWS.includes("agents") && html` <a href=${href("agents")}>Show what each agent loads</a>`}</p>`}
      <div class="stack" role="group" aria-label="Sections by size">${sheet.blocks.map((block) => html`
        <a key=${block.name} class="part pace-${block.pace}" href=${href("prompt", block.name)}
          ref=${grown(Math.max(block.tokens, 1))}
          title=${`${block.name}: ${tokens(block.tokens, sheet)} tokens, ${percent(block.share)}`}>
          <span class="foreign name">${block.name}</span><span class="quiet">${percent(block.share)}</span>
        </a>`)}</div>
      ${!inside && html`<${Budget} sheet=${sheet} problem=${page.problem} />`}
    </div>`;
}

function share({ context: { window, model, tokens: all } }) {
  if (!window) return "";
  return html` · ${percent(all / window)} of the window of <span class="foreign">${model}</span>`;
}

function price(sheet) {
  const { fresh, cached, model } = sheet.price;
  if (fresh === null) return "";
  const cost = (value) => bound(value, sheet.price.at_least || hasOwnPrompt(sheet), dollars);
  return html` · <span title=${`at the prices of ${model}`}>${cost(fresh)} per request${cached < fresh
    ? `, ${cost(cached)} from the cache` : ""}</span>`;
}

function Copy({ sheet }) {
  const [told, setTold] = useState("");
  const textOf = (block) => block.before + block.pieces.map((piece) => piece.text).join("");
  const copy = async () => {
    setTold(await copyText(sheet.blocks.map(textOf).join("")).then(() => "copied: the text", (error) => error.message));
    setTimeout(() => setTold(""), 4000);
  };
  return html`
    <div class="copy">
      <span class="small quiet foreign" role="status">${told}</span>
      <button class="button" onClick=${copy}><${Icon} name="copy" />Copy</button>
    </div>`;
}

// How much room the prompt has. The server cuts it; what went is listed.
function Budget({ sheet, problem }) {
  const top = sheet.budget ? sheet.budget.whole : sheet.tokens;
  const value = Math.min(sheet.budget?.limit || top, top);
  const take = (given) => {
    const wanted = Math.round(Number(given));
    choose({ budget: wanted >= top || !(wanted > 0) ? null : wanted });
  };
  return html`
    <div class="budget">
      <label class="row"><span>Budget</span>
        <input type="range" data-budget min="1" max=${top} step="1" value=${value}
          onInput=${(event) => take(event.target.value)} aria-valuetext=${count(value, "token")} /></label>
      <label class="row">
        <${Typed} class="number" type="number" min="1" max=${top} value=${value} onTake=${take}
          aria-label="Budget in tokens" />
        <span class="quiet">of ${count(top, "token")}</span></label>
    </div>
    ${problem?.path.startsWith("budget") ? html`<p class="cuts foreign" role="alert">${problem.message}</p>`
      : sheet.cuts.length > 0 && html`<${Cuts} sheet=${sheet} />`}`;
}

function Cuts({ sheet }) {
  const { cuts } = sheet;
  const how = (cut) => (cut.how === "replaced" ? "dropped" : cut.how);
  const sizes = (cut) => `${tokens(cut.from_tokens, sheet)} → ${number(cut.to_tokens)}`;
  return html`
    <details class="cuts" open>
      <summary>${count(cuts.length, "part shortened or dropped", "parts shortened or dropped")}</summary>
      <ul>${cuts.slice(0, MAX_CUTS).map((cut) => html`
        <li><span class="foreign">${cut.part || cut.block}</span> <span class="quiet">${how(cut)}, ${sizes(cut)}</span>
        </li>`)}
      ${cuts.length > MAX_CUTS && html`<li class="quiet">and ${number(cuts.length - MAX_CUTS)} more</li>`}</ul>
    </details>`;
}

// What the newest save did. It stands over the end of the text, so that nothing moves.
function Change({ change: { a, b, tokens: more, count: n, source }, hide }) {
  return html`
    <p class="newest-change" role="status"><b>${signed(more)} ${Math.abs(more) === 1 ? "token" : "tokens"}</b>
      ${n > 0 && html`<span>${count(n, "line changed", "lines changed")}
        ${source && html` · <span class="foreign">${source}</span>`}</span>`}
      <a href=${href("turns", pair({ a, b }))}>Show the difference</a>
      <button class="button bare" onClick=${hide}>Hide the marks</button></p>`;
}
