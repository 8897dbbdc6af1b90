// The difference in plain words: where it begins, why, and what it does to the cache.
import { html } from "overture/html.js";
import { locale, say, tell } from "overture/say.js";
import { bound, dollars, fieldWords, number, percent } from "overture/words.js";

export function TurnHeadline({ diff, turns }) {
  const { cache } = diff;
  return html`
    <div class="turn-headline">
      <p class="sentence">${diff.tools ? `${say("ToolsDifferTheyStandBefore")} ` : ""}${tell("sentence", { what: html`${where(diff)}${because(diff, turns)}` })}</p>
      ${cache && html`<p class="sentence">${kept(cache)}${cache.lacks_own_prompt && html` ${tell("sentence", { what: say("NotCountedKinds", { kinds: say("theAgentsOwnPromptAndTools") }) })}`}</p>`}
      ${cache && cache.tokens > 0 && html`<${CacheBar} cache=${cache} />`}
    </div>`;
}

function where(diff) {
  if (diff.first === null) return say("TextPromptSameByteByte");
  const slots = { byte: html`<b>${number(diff.first)}</b>`, section: html`<b class="foreign">${diff.block}</b>` };
  const place = diff.block ? tell("FirstDifferenceAtByteInSection", slots) : tell("FirstDifferenceAtByte", slots);
  const line = diff.line ? say("commaLineOfPrompt", { line: diff.line }) : "";
  const source = diff.source ? html` (<span class="foreign">${diff.source}</span>)` : "";
  return html`${place}${line}${source}`;
}

// What happened after the earlier turn, up to the later one.
function because(diff, turns) {
  const causes = together(turns.filter((each) => each.turn > diff.a && each.turn <= diff.b).map((each) => each.cause).filter(Boolean));
  const [from, to] = diff.recipes || [];
  if (from !== to) causes.unshift(say("recipeNoLonger", { to, from }));
  if (!causes.length || causes.length > 4) {
    const fields = [...new Set(diff.blocks.flatMap((block) => (block.change === "same" ? [] : block.because)))]; // of bytes that changed
    return fields.length ? tell("commaBecauseOfWhat", { what: html`<span class="foreign">${fields.map(fieldWords).join(", ")}</span>` }) : "";
  }
  const what = html`<span class="foreign">${causes.join("; ")}</span>`;
  return diff.first === null ? tell("commaAlthoughWhat", { what }) : tell("commaBecauseWhat", { what });
}

// Files that changed are named in one breath.
function together(causes) {
  const files = new Set(causes.filter((cause) => cause.endsWith(" changed")).flatMap((cause) => cause.slice(0, -" changed".length).split(", ")));
  const others = [...new Set(causes.filter((cause) => !cause.endsWith(" changed")))];
  return [...(files.size ? [say("filesChanged", { files: new Intl.ListFormat(locale).format(files) })] : []), ...others];
}

function kept(cache) {
  const share = cache.expired ? say("WhatCacheHadKeptGone")
    : cache.cached ? tell("shareRequestStillComesCache", { share: html`<b>${percent(cache.cached / (cache.tokens || 1))}</b>` }) : say("NothingRequestComesCache");
  const slots = { what: html`${share}`, cost: html`<b>${bound(cache.cost, cache.at_least, dollars)}</b>`, uncached: bound(cache.uncached, cache.at_least, dollars) };
  if (cache.cost === null || cache.cost === undefined) return tell("sentence", slots);
  return tell("whatSendingCostsCostWould", slots);
}

function CacheBar({ cache }) {
  const rest = Math.max(cache.tokens - Math.max(cache.common, cache.cached), 0);
  const parts = [
    ["cached", say("fromTheCache"), cache.cached],
    ["common", say("theSameButNotKept"), Math.max(cache.common - cache.cached, 0)],
    ["fresh", say("fromTheFirstDifferenceOn"), rest],
  ];
  return html`
    <div class="cache-bar" aria-hidden="true">${parts.map(([look, , count]) => count > 0 && html`<span key=${look} class="is-${look}" ref=${grown(count)}></span>`)}</div>
    <ul class="cache-legend small">${parts.map(([look, name, count]) => html`<li key=${look}><span class="swatch is-${look}"></span>${number(count)} <span class="quiet">${name}</span></li>`)}
      ${cache.model && html`<li class="quiet">${tell("predictedForModel", { model: html`<span class="foreign">${cache.model}</span>` })}</li>`}</ul>`;
}

// Widths are set by script: the page allows no styles in its markup.
function grown(count) {
  return (element) => { if (element) element.style.flexGrow = String(count); };
}
