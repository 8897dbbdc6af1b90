// The difference in plain words: where it begins, why, and what it does to the cache.
import { html } from "overture/html.js";
import { dollars, number, percent } from "overture/words.js";

export function TurnHeadline({ diff, turns }) {
  const { cache } = diff;
  return html`
    <div class="turn-headline">
      <p class="sentence">${where(diff)}${because(diff, turns)}.${cache && html` ${kept(cache)}`}</p>
      ${cache && cache.tokens > 0 && html`<${CacheBar} cache=${cache} />`}
    </div>`;
}

function where(diff) {
  if (diff.first === null) return diff.cache?.blame?.section === "tools" ? "The text is the same; the tools differ" : "The text is the same, byte for byte";
  const line = diff.line ? `, line ${number(diff.line)}` : "";
  const block = diff.block ? html`, in <b class="foreign">${diff.block}</b>` : "";
  return html`The first difference is at byte <b>${number(diff.first)}</b>${block}${line}`;
}

// What happened after the earlier turn, up to the later one.
function because(diff, turns) {
  const causes = [...new Set(turns.filter((each) => each.turn > diff.a && each.turn <= diff.b).map((each) => each.cause).filter(Boolean))];
  const [from, to] = diff.recipes || [];
  if (from !== to) causes.unshift(`the recipe is ${to} and no longer ${from}`);
  if (!causes.length || causes.length > 4) return diff.inputs?.length ? html`, because of <span class="foreign">${diff.inputs.join(", ")}</span>` : "";
  const verb = diff.first === null ? ", although " : ", because ";
  return html`${verb}<span class="foreign">${causes.join("; ")}</span>`;
}

function kept(cache) {
  const share = html`<b>${percent(cache.cached / (cache.tokens || 1))}</b> of the request still comes from the cache`;
  if (cache.expired) return "What the cache had kept is gone by then.";
  if (cache.cost === null || cache.cost === undefined) return html`${share}.`;
  return html`${share}: it costs ${dollars(cache.cost)}, and ${dollars(cache.uncached)} without any cache.`;
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
