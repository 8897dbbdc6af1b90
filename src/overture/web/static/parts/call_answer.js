// What came back: the reply, the tools that it calls, and the provider's own count.
import { html } from "overture/html.js";
import { Marked, useFound } from "overture/parts/one_call/marked.js";
import { say } from "overture/say.js";
import { seconds } from "overture/words.js";

export function CallAnswer({ call, words }) {
  useFound(words);
  const facts = [
    [say("Status"), call.row.status || say("noAnswerCame")],
    [say("EndedBy"), call.stop || say("notSaid")],
    [say("ToolsThatItCalls"), call.called.join(", ") || say("none")],
    [say("Sent"), call.stream ? say("asAStream") : say("inOnePiece")],
    [say("Took"), seconds(call.whole_ms) || say("notKnown")],
  ];
  return html`
    <dl class="call-facts">${facts.map(([name, value]) => html`<div key=${name}><dt class="small quiet">${name}</dt><dd class="foreign">${value}</dd></div>`)}</dl>
    <h2 class="calls-title">${say("Reply")}</h2>
    ${call.reply ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label=${say("Reply")}><${Marked} text=${call.reply} words=${words} /></pre>` : html`<p class="quiet">${say("NoTextCameBack")}</p>`}
    <h2 class="calls-title">${say("UsageProviderSaid")}</h2>
    ${call.usage ? html`<pre class="card call-text foreign" tabindex="0" role="region" aria-label=${say("Usage")}>${JSON.stringify(call.usage, null, 2)}</pre>` : html`<p class="quiet">${say("SaidNothingWhatCounted")}</p>`}`;
}
