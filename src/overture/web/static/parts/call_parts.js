// What a call is made of: sections, tools by name, messages by kind, each with its tokens and its share; and what else was set.
import { html } from "overture/html.js";
import { LongText } from "overture/parts/one_call/long_text.js";
import { holdsTools, ToolRows } from "overture/parts/one_call/tools.js";
import { say, tell } from "overture/say.js";
import { number, percent, tokens } from "overture/words.js";

const GROUPS = [["sections", say("SectionsOfTheSystemPrompt")], ["tools", say("Tools")], ["messages", say("MessagesByKind")]];

export function CallParts({ call, words }) {
  return html`
    <p class="quiet small">${tell("countTokensCountedHereTokenizer", { count: tokens(call.tokens, call), tokenizer: html`<span class="foreign">${call.tokenizer}</span>` })}${call.not_counted.length > 0 && html`; ${tell("notCountedKinds", { kinds: html`<span class="foreign">${call.not_counted.join(", ")}</span>` })}`}</p>
    <div class="call-groups">${GROUPS.map(([name, title]) => call[name].length > 0 && html`<${Group} key=${name} title=${title} parts=${call[name]} sheet=${call} call=${name === "tools" && holdsTools(call) ? call : null} words=${words} />`)}</div>
    ${call.settings.length > 0 && html`<h2 class="calls-title">${say("AlsoSet")}</h2><dl class="also-set">${call.settings.map(([name, value]) => html`<div key=${name}><dt><span class="code foreign">${name}</span></dt><dd><span class="code foreign"><${LongText} text=${value} /></span></dd></div>`)}</dl>`}
    ${GROUPS.every(([name]) => !call[name].length) && html`<div class="empty"><b>${say("NothingRequestRecorded")}</b></div>`}`;
}

function Group({ title, parts, sheet, call, words }) {
  const most = Math.max(...parts.map((part) => part.share), 0.001);
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  return html`
    <table class="table part-table">
      <caption><h2>${title} <span class="quiet">${number(parts.length)} · ${sheet.exact ? say("nTokens", { n: sum }) : say("aboutNTokens", { n: sum })}</span></h2></caption>
      <thead class="aside-word"><tr><th scope="col">${say("Name")}</th><th scope="col">${say("Size")}</th><th scope="col">${say("Tokens")}</th><th scope="col">${say("Share")}</th></tr></thead>
      ${call ? html`<${ToolRows} call=${call} parts=${parts} words=${words} row=${(part, name, at) => html`<${Row} key=${at} part=${part} name=${name} most=${most} sheet=${sheet} />`} />`
        : html`<tbody>${parts.map((part, at) => html`<${Row} key=${at} part=${part} name=${part.name} most=${most} sheet=${sheet} />`)}</tbody>`}
    </table>`;
}

function Row({ part, name, most, sheet }) {
  return html`
    <tr>
      <th scope="row" class="foreign depth-${Math.min(Math.max(part.level - 1, 0), 3)}">${name}${part.count > 1 && html` <span class="quiet">×${number(part.count)}</span>`}</th>
      <td class="part-size"><meter class="bar" min="0" max="1" value=${part.share / most} aria-hidden="true"></meter></td>
      <td class="number">${tokens(part.tokens, sheet)}</td><td class="number quiet">${percent(part.share)}</td>
    </tr>`;
}
