// The difference in plain words: where it begins, why, and what it does to the cache.
import { html } from "overture/html.js";
import { dollars, fieldWords, number, percent } from "overture/words.js";

export function TurnHeadline({ diff, turns }) {
  const { cache } = diff;
  return html`
    <div class="turn-headline">
      <p class="sentence">${where(diff)}${because(diff, turns)}.</p>
      ${cache && html`<p class="sentence">${kept(cache)}</p>`}
      ${cache && cache.tokens > 0 && html`<${CacheBar} cache=${cache} />`}
    </div>`;
}

function where(diff) {
  const tools = diff.tools ? "The tools differ, and they stand before the prompt. " : "";
  if (diff.first === null) return `${tools}The text of the prompt is the same, byte for byte`;
  const block = diff.block ? html`, in <b class="foreign">${diff.block}</b>` : "";
  const line = diff.line ? `, line ${number(diff.line)} of the prompt` : "";
  const source = diff.source ? html` (<span class="foreign">${diff.source}</span>)` : "";
  return html`${tools}The first difference is at byte <b>${number(diff.first)}</b>${block}${line}${source}`;
}

// What happened after the earlier turn, up to the later one.
function because(diff, turns) {
  const causes = together(turns.filter((each) => each.turn > diff.a && each.turn <= diff.b).map((each) => each.cause).filter(Boolean));
  const [from, to] = diff.recipes || [];
  if (from !== to) causes.unshift(`the recipe is ${to} and no longer ${from}`);
  if (!causes.length || causes.length > 4) return diff.inputs?.length ? html`, because of <span class="foreign">${diff.inputs.map(fieldWords).join(", ")}</span>` : "";
  const verb = diff.first === null ? ", although " : ", because ";
  return html`${verb}<span class="foreign">${causes.join("; ")}</span>`;
}

// Files that changed are named in one breath.
function together(causes) {
  const files = new Set(causes.filter((cause) => cause.endsWith(" changed")).flatMap((cause) => cause.slice(0, -" changed".length).split(", ")));
  const others = [...new Set(causes.filter((cause) => !cause.endsWith(" changed")))];
  return [...(files.size ? [`${new Intl.ListFormat("en").format(files)} changed`] : []), ...others];
}

function kept(cache) {
  const share = cache.expired ? "What the cache had kept is gone by then"
    : cache.cached ? html`<b>${percent(cache.cached / (cache.tokens || 1))}</b> of the request still comes from the cache` : "Nothing of the request comes from the cache";
  if (cache.cost === null || cache.cost === undefined) return html`${share}.`;
  return html`${share}: sending it costs <b>${dollars(cache.cost)}</b>, and would cost ${dollars(cache.uncached)} if nothing were ever kept.`;
}

function CacheBar({ cache }) {
  const rest = Math.max(cache.tokens - Math.max(cache.common, cache.cached), 0);
  const parts = [
    ["cached", "from the cache", cache.cached],
    ["common", "the same, but not kept", Math.max(cache.common - cache.cached, 0)],
    ["fresh", "from the first difference on", rest],
  ];
  return html`
    <div class="cache-bar" aria-hidden="true">${parts.map(([look, , count]) => count > 0 && html`<span key=${look} class="is-${look}" ref=${grown(count)}></span>`)}</div>
    <ul class="cache-legend small">${parts.map(([look, name, count]) => html`<li key=${look}><span class="swatch is-${look}"></span>${number(count)} <span class="quiet">${name}</span></li>`)}
      ${cache.model && html`<li class="quiet">predicted for <span class="foreign">${cache.model}</span></li>`}</ul>`;
}

// Widths are set by script: the page allows no styles in its markup.
function grown(count) {
  return (element) => { if (element) element.style.flexGrow = String(count); };
}
