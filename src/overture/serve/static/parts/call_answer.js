// What came back: the reply, the tools that it calls, and the provider's own count.
import { html } from "overture/html.js";
import { milliseconds } from "overture/parts/call_words.js";

export function CallAnswer({ call }) {
  const facts = [
    ["Status", call.row.status || "no answer came"],
    ["Ended by", call.stop || "not said"],
    ["Tools that it calls", call.called.join(", ") || "none"],
    ["Sent", call.stream ? "as a stream" : "in one piece"],
    ["Took", milliseconds(call.whole_ms) || "not known"],
  ];
  return html`
    <dl class="call-facts">${facts.map(([name, value]) => html`<div key=${name}><dt class="small quiet">${name}</dt><dd class="foreign">${value}</dd></div>`)}</dl>
    <h2 class="calls-title">Reply</h2>
    ${call.reply ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label="Reply">${call.reply}</pre>` : html`<p class="quiet">No text came back.</p>`}
    <h2 class="calls-title">Usage, as the provider said it</h2>
    ${call.usage ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label="Usage">${JSON.stringify(call.usage, null, 2)}</pre>` : html`<p class="quiet">It said nothing of what it counted.</p>`}`;
}
