// A bar for each call in time: what came from the cache, what was written to it, what neither. Misses stand out.
import { html } from "overture/html.js";
import { callHref } from "overture/parts/call_address.js";
import { barWords, grown, LEGEND, partsOf, verdictOf, whyWords } from "overture/parts/call_words.js";
import { say } from "overture/say.js";
import { clock } from "overture/words.js";

const MOST = 120;

export function CallChart({ answer }) {
  const calls = answer.calls.slice(0, MOST).reverse();
  const most = Math.max(...calls.map((call) => partsOf(call).tokens), 1);
  const left = answer.calls.length + answer.earlier - calls.length;
  return html`
    <figure class="calls-chart">
      <div class="chart-scale small quiet" aria-hidden="true"><span>${say("nTokens", { n: most })}</span></div>
      <ol class="chart-bars" aria-label=${say("CallsTheirTokensOldestFirst")}>${calls.map((call) => html`<${Bar} key=${call.id} call=${call} most=${most} />`)}</ol>
      <figcaption class="cache-legend small">
        ${LEGEND.map(([look, words]) => html`<span key=${look}><span class="swatch is-call-${look}"></span>${words}</span>`)}
        <span><b class="chart-sign" aria-hidden="true">▲</b> ${say("paidAgain")}</span>
        ${left > 0 && html`<span class="quiet">${say("nEarlierAreNotDrawn", { n: left })}</span>`}
      </figcaption>
    </figure>`;
}

function Bar({ call, most }) {
  const { tokens, read, written, fresh, lost } = partsOf(call);
  const { sign, word, look } = verdictOf(call);
  const words = `${clock(call.at)}, ${word}${whyWords(call) ? `: ${whyWords(call)}` : ""}. ${barWords(call)}.`;
  return html`
    <li>
      <a href=${callHref(call.id)} title=${words} aria-label=${words} class="is-${look}">
        <span class="chart-sign" aria-hidden="true">${lost || look === "failed" ? sign : ""}</span>
        <span class="chart-rest" ref=${grown(most - tokens)}></span>
        <span class="chart-bar" ref=${grown(Math.max(tokens, most / 60))}>
          ${[["fresh", fresh], ["written", written], ["read", read]].map(([name, count]) => count > 0 && html`<span key=${name} class="is-call-${name}" ref=${grown(count)}></span>`)}
        </span>
      </a>
    </li>`;
}
