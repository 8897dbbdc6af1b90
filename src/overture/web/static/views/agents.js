// Who reads what: each instruction file here and each agent; a cell says how, and why.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { AgentsGrid } from "overture/parts/agents_grid.js";
import { CellWhy } from "overture/parts/cell_why.js";
import { Diff } from "overture/parts/diff.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { say, tell } from "overture/say.js";
import { inside } from "overture/server.js";
import { useAnswer } from "overture/use_answer.js";
import { readingOf, READS } from "overture/words.js";

const FEW = 4; // agents that a line names

export function AgentsView({ page }) {
  const [touching, setTouching] = useState("");
  const [everyone, setEveryone] = useState(false);
  const [chosen, setChosen] = useState(null);
  const asked = new URLSearchParams({ ...(touching && { touching }), ...(everyone && { all: "1" }) }).toString();
  const { answer, problem, busy } = useAnswer(`/page/agents${asked && `?${asked}`}`, page.version);
  const take = (event) => { event.preventDefault(); setTouching(new FormData(event.target).get("touching").trim()); };
  return html`
    <div class="page-view agents-view">
      <h1>${say("Agents")}</h1>
      <p class="lead">${say("WhichInstructionFilesHereEach")}</p>
      ${!inside && html`<div class="agents-tools">
        <form class="row" onSubmit=${take} role="search">
          <label class="row">${say("WhenItWorksOn")} <input class="field" name="touching" data-find placeholder="src/app.py" defaultValue=${touching} /></label>
          <button class="button">${say("Show")}</button>
        </form>
        <label class="row"><input type="checkbox" checked=${everyone} onChange=${(event) => setEveryone(event.target.checked)} /> ${say("everyAgentThatIsKnown")}</label>
        <span class="small quiet" role="status">${busy ? say("Looking") : ""}</span>
      </div>`}
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!answer && !problem && html`<${Busy} word=${say("LookingAtWhatEachAgent")} />`}
      ${answer && !problem && html`<${Answer} answer=${answer} chosen=${chosen} setChosen=${setChosen} />`}
    </div>`;
}

function Answer({ answer, chosen, setChosen }) {
  if (!answer.files.length) return html`<div class="empty"><b>${say("ThereNoInstructionFilesHere")}</b>${say("AgentsMdIsRead")}</div>`;
  return html`
    <p class="legend small quiet">${legend(answer).map(([sign, word]) => html`<span key=${word}><b aria-hidden="true">${sign}</b> ${word}</span>`)}</p>
    <${AgentsGrid} answer=${answer} chosen=${chosen} onChoose=${setChosen} />
    ${chosen && html`<${CellWhy} answer=${answer} chosen=${chosen} onClose=${() => setChosen(null)} />`}
    <${Notes} answer=${answer} />
    <${Advice} advice=${answer.changes} />`;
}

// Only the signs that stand in the grid.
function legend({ cells }) {
  const found = new Set(Object.values(cells).flatMap((row) => Object.values(row).map(readingOf)));
  return Object.entries(READS).filter(([name]) => found.has(name)).map(([, words]) => words);
}

function Notes({ answer }) {
  if (!answer.findings.length) return null;
  return html`<h2>${say("WhatToKnow")}</h2><ul class="said">${together(answer.findings).map((notes) => html`<li class="foreign">${notes.length > 1
    ? html`<details><summary>${noteWords({ ...notes[0], shown: say("nFiles", { n: notes.length }), line: null }, answer.agents)}</summary><ul>${notes.map(({ shown, line }) => html`<li class="code">${placeWords({ shown, line })}</li>`)}</ul></details>`
    : noteWords(notes[0], answer.agents)}</li>`)}</ul>`;
}

// The same, said of several files, is one line, which opens.
function together(findings) {
  const found = new Map();
  for (const note of findings) {
    const key = `${note.agents} ${note.message}`;
    found.set(key, [...(found.get(key) || []), note]);
  }
  return [...found.values()];
}

const placeWords = ({ shown, line }) => shown && `${shown}${line ? `:${line}` : ""}`;

// `Codex, Cursor: AGENTS.md:3: what is wrong`
function noteWords({ agents, shown, line, message }, known) {
  const who = agents.length > FEW ? say("nAgents", { n: agents.length }) : agents.map((name) => known.find((each) => each.name === name).title).join(", ");
  return [who, placeWords({ shown, line }), message].filter(Boolean).join(": ");
}

function Advice({ advice }) {
  if (!advice.length) return null;
  return html`
    <h2>${say("WhatWouldHelp")}</h2>
    <ul class="said">${advice.map((each) => html`
      <li><span class="foreign">${each.sentence}</span>
        ${each.change?.diff.length > 0 && html`<details><summary>${say("TheChange")}</summary><${Diff} lines=${each.change.diff} /></details>`}</li>`)}</ul>
    <p class="small quiet">${tell("NothingWrittenHereCommandShows", { command: html`<code>overture agents --fix</code>` })}</p>`;
}
