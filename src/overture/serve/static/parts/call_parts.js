// What a call is made of: sections, tools by name, messages by kind, each with its tokens and its share.
import { html } from "overture/html.js";
import { number, percent } from "overture/words.js";

const GROUPS = [["sections", "Sections of the system prompt"], ["tools", "Tools"], ["messages", "Messages by kind"]];

export function CallParts({ call }) {
  const estimate = call.exact ? "" : "~";
  return html`
    <p class="quiet small">${estimate}${number(call.tokens)} tokens as counted here (<span class="foreign">${call.tokenizer}</span>)${call.not_counted.length > 0 && html`; not counted: <span class="foreign">${call.not_counted.join(", ")}</span>`}</p>
    <div class="call-groups">${GROUPS.map(([name, title]) => call[name].length > 0 && html`<${Group} key=${name} title=${title} parts=${call[name]} />`)}</div>
    ${GROUPS.every(([name]) => !call[name].length) && html`<div class="empty"><b>Nothing of the request was recorded</b></div>`}`;
}

function Group({ title, parts }) {
  const most = Math.max(...parts.map((part) => part.share), 0.001);
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  return html`
    <table class="table part-table">
      <caption><h2>${title} <span class="quiet">${number(parts.length)} · ${number(sum)} tokens</span></h2></caption>
      <thead class="aside-word"><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Tokens</th><th scope="col">Share</th></tr></thead>
      <tbody>${parts.map((part, at) => html`
        <tr key=${at}>
          <th scope="row" class="foreign depth-${Math.min(Math.max(part.level - 1, 0), 3)}">${part.name}${part.count > 1 && html` <span class="quiet">×${number(part.count)}</span>`}</th>
          <td class="part-size"><meter class="bar" min="0" max="1" value=${part.share / most} aria-hidden="true"></meter></td>
          <td class="number">${number(part.tokens)}</td><td class="number quiet">${percent(part.share)}</td>
        </tr>`)}</tbody>
    </table>`;
}
