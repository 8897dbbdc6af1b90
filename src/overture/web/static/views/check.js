// What is wrong with the prompt and the files behind it: each finding with its place, and its mend as a diff.
import { useState } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { Diff } from "overture/parts/diff.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say, tell } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";

const SEVERITIES = { error: say("Error"), warning: say("Warning"), info: say("Note") };
const COUNTED = {
  error: (n) => say("nErrors", { n }), warning: (n) => say("nWarnings", { n }), info: (n) => say("nNotes", { n }),
};

const ORDER = Object.keys(SEVERITIES);
const worstFirst = (a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity);

export function CheckView({ page }) {
  const { answer, problem } = useAnswer("/page/check", page.version);
  const [hidden, setHidden] = useState([]);
  const found = answer ? answer.findings.filter((each) => !hidden.includes(each.severity)).sort(worstFirst) : [];
  const flip = (name) => setHidden(hidden.includes(name) ? hidden.filter((each) => each !== name) : [...hidden, name]);
  return html`
    <div class="page-view check-view">
      <h1>${say("Check")}</h1>
      <p class="lead">${tell("WhatWrongWithPromptFiles", { command: html`<code>overture check --fix</code>` })}</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} word=${say("Checking")} />`}
      ${answer && !answer.findings.length && html`<div class="empty"><b>${say("NothingIsWrongHere")}</b>${tell("EveryCheckMadeNoneFound", { command: html`<code>overture check</code>` })}</div>`}
      ${answer && answer.findings.length > 0 && html`
        <div class="filters" role="group" aria-label=${say("Show")}>${Object.keys(SEVERITIES).filter((name) => answer.counts[name]).map((name) => html`
          <button key=${name} class="button" aria-pressed=${!hidden.includes(name)} onClick=${() => flip(name)}>
            <span class="severity ${name}">${COUNTED[name](answer.counts[name])}</span></button>`)}</div>
        <ul class="findings">${found.map((each) => html`<${Finding} key=${each.code + each.path + each.line + each.message} each=${each} />`)}</ul>`}
    </div>`;
}

function Finding({ each }) {
  const where = each.line ? `${each.shown}:${each.line}` : each.shown;
  return html`
    <li class="finding" tabindex="0" data-step>
      <span class="severity ${each.severity}">${SEVERITIES[each.severity]}</span>
      <div>
        <p class="foreign">${each.message}</p>
        <p class="small quiet">${where && (each.file
          ? html`<a class="code foreign" href=${href("files", `${each.file}:${each.line || 1}`)}>${where}</a>`
          : html`<span class="code foreign">${where}</span>`)} <span>${each.code}</span></p>
        ${each.about && html`<p class="small quiet foreign">${each.about}</p>`}
        ${each.diff && html`<details><summary>${say("HowItWouldBeMended")}</summary><${Diff} lines=${each.diff} /></details>`}
      </div>
    </li>`;
}
