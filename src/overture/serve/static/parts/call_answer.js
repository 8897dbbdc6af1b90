// What came back: the reply, the tools that it calls, and the provider's own count.
import { html } from "overture/html.js";
import { Marked, useFound } from "overture/parts/one_call/marked.js";
import { say } from "overture/said.js";
import { seconds } from "overture/words.js";

export function CallAnswer({ call, words }) {
  useFound(words);
  const facts = [
    [say("Status"), call.row.status || say("no answer came")],
    [say("Ended by"), call.stop || say("not said")],
    [say("Tools that it calls"), call.called.join(", ") || say("none")],
    [say("Sent"), call.stream ? say("as a stream") : say("in one piece")],
    [say("Took"), seconds(call.whole_ms) || say("not known")],
  ];
  return html`
    <dl class="call-facts">${facts.map(([name, value]) => html`<div key=${name}><dt class="small quiet">${name}</dt><dd class="foreign">${value}</dd></div>`)}</dl>
    <h2 class="calls-title">${say("Reply")}</h2>
    ${call.reply ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label=${say("Reply")}><${Marked} text=${call.reply} words=${words} /></pre>` : html`<p class="quiet">${say("No text came back.")}</p>`}
    <h2 class="calls-title">${say("Usage, as the provider said it")}</h2>
    ${call.usage ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label=${say("Usage")}>${JSON.stringify(call.usage, null, 2)}</pre>` : html`<p class="quiet">${say("It said nothing of what it counted.")}</p>`}`;
}
