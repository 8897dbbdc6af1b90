// What is wrong with the prompt and the files behind it: each finding with its place, and its fix as a diff.
import { useState } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { useAnswer } from "overture/server.js";
import { Busy, Diff, ShownProblem } from "overture/widgets.js";
import { count } from "overture/words.js";

const SEVERITIES = { error: "Error", warning: "Warning", note: "Note" };
const ORDER = Object.keys(SEVERITIES);
const worstFirst = (a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);

export function CheckView({ page }) {
  const { answer, problem } = useAnswer("/page/check", page.version);
  const [hidden, setHidden] = useState([]);
  const found = answer ? answer.findings.filter((each) => !hidden.includes(each.severity)).sort(worstFirst) : [];
  const names = answer ? ORDER.filter((name) => answer.counts[name]) : [];
  const flip = (name) => setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]);
  return html`
    <div class="page-view check-view">
      <h1>Check</h1>
      <p class="lead">Problems in this prompt and its files. Nothing is written from here:${" "}
        <code>overture check --fix</code> applies the safe fixes.</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} word="Checking…" />`}
      ${answer && !answer.findings.length && html`
        <div class="empty"><b>No problems found</b>
          All checks passed. Run <code>overture check</code> in CI to keep it so.</div>`}
      ${answer && answer.findings.length > 0 && html`
        <div class="filters" role="group" aria-label="Show">${names.map((name) => html`
          <button key=${name} class="button" aria-pressed=${!hidden.includes(name)} onClick=${() => flip(name)}>
            <span class="severity ${name}">${count(answer.counts[name], SEVERITIES[name].toLowerCase())}</span>
          </button>`)}</div>
        <ul class="findings">${found.map((each) => html`
          <${Finding} key=${each.code + each.path + each.line + each.message} each=${each} />`)}</ul>`}
    </div>`;
}

function Finding({ each }) {
  const where = each.line ? `${each.shown}:${each.line}` : each.shown;
  const place = each.file
    ? html`<a class="code foreign" href=${href("files", `${each.file}:${each.line || 1}`)}>${where}</a>`
    : html`<span class="code foreign">${where}</span>`;
  return html`
    <li class="finding" tabindex="0" data-step>
      <span class="severity ${each.severity}">${SEVERITIES[each.severity]}</span>
      <div>
        <p class="foreign">${each.message}</p>
        <p class="small quiet">${where && place} <span>${each.code}</span></p>
        ${each.about && html`<p class="small quiet foreign">${each.about}</p>`}
        ${each.diff && html`<details><summary>How it would be fixed</summary><${Diff} lines=${each.diff} /></details>`}
      </div>
    </li>`;
}
