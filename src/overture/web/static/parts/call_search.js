// Words looked for in all recorded calls: which hold them, and where they stand. A click opens the call there.
import { useEffect, useState } from "preact/hooks";
import { html } from "overture/html.js";
import { callHref, rememberList, searchHref, useBack } from "overture/parts/call_address.js";
import { leftOut } from "overture/parts/call_bill.js";
import { Marked } from "overture/parts/one_call/marked.js";
import { searchInside } from "overture/parts/one_call/search_inside.js";
import { ShownProblem } from "overture/parts/shown_problem.js";
import { say } from "overture/say.js";
import { ask, inside } from "overture/server.js";
import { moment } from "overture/words.js";

const TABS = { error: "answer", answer: "answer", message: "messages", system: "prompt", tool: "parts" };
const NOTHING = { found: [], looked: 0, total: 0, left_out: 0 };

export function SearchField({ words = "" }) {
  const search = (event) => {
    event.preventDefault();
    const wanted = new FormData(event.target).get("words").trim();
    location.hash = wanted ? searchHref(wanted) : "#/calls";
  };
  return html`
    <form class="call-search" role="search" onSubmit=${search}>
      <input class="field" type="search" name="words" data-find maxlength="200" defaultValue=${words} placeholder=${say("FindInAllCalls")} aria-label=${say("FindInAllCalls")} />
      <button class="button">${say("Find")}</button>
    </form>`;
}

export function CallSearch({ words }) {
  const { answer, busy, problem, more } = useSearch(words);
  useBack("#/calls");
  return html`
    <div class="page-view calls-view">
      <p class="call-crumbs small"><a href="#/calls"><span aria-hidden="true">←</span> ${say("AllCalls")}</a></p>
      <h1>${say("CallsThatSayWords", { words: `“${words}”` })}</h1>
      <${SearchField} words=${words} />
      <p class="small quiet" role="status">${busy ? say("LookingThroughTheCalls") : problem ? "" : told(answer)}</p>
      ${problem && html`<${ShownProblem} problem=${problem} />`}
      ${!busy && !problem && !answer.found.length && answer.looked >= answer.total && html`<div class="empty"><b>${say("NoCallHoldsTheseWords")}</b></div>`}
      <ol class="found-calls">${answer.found.map((each) => html`<${Found} key=${each.id} each=${each} words=${words} />`)}</ol>
      ${!busy && !problem && !inside && answer.looked < answer.total && html`<p><button class="button" onClick=${more}>${say("LookThroughOlderCallsN", { n: answer.total - answer.looked })}</button></p>`}
      ${answer.left_out > 0 && html`<p class="small quiet">${leftOut(answer.left_out, "overture tap list --grep")}</p>`}
    </div>`;
}

// A part of the calls at a time; what was found stays.
function useSearch(words) {
  const [state, setState] = useState({ answer: NOTHING, busy: true, problem: null });
  const [after, setAfter] = useState(0);
  useEffect(rememberList, [words]);
  useEffect(() => {
    const end = new AbortController();
    setState((had) => ({ ...had, busy: true, problem: null }));
    const asked = inside ? Promise.resolve(searchInside(words)) : ask(`/page/search?${new URLSearchParams({ words, ...(after && { after }) })}`, undefined, end.signal);
    asked.then(
      (answer) => setState((had) => ({ answer: { ...answer, found: joined(had.answer.found, answer.found) }, busy: false, problem: null })),
      (problem) => problem.name !== "AbortError" && setState((had) => ({ ...had, busy: false, problem })),
    );
    return () => end.abort();
  }, [words, after]);
  return { ...state, more: () => setAfter(state.answer.looked) };
}

// Calls may have come meanwhile: none is told twice.
function joined(had, found) {
  const known = new Set(had.map((each) => each.id));
  return [...had, ...found.filter((each) => !known.has(each.id))];
}

function told({ found, looked, total }) {
  const n = say("nCallsFound", { n: found.length });
  if (inside) return looked < total ? say("foundFileHoldsTextsLooked", { found: n, looked, total }) : n;
  return looked < total ? say("foundNewestLookedTotal", { found: n, looked, total }) : n;
}

function Found({ each, words }) {
  return html`
    <li>
      <a data-step href=${callHref(each.id, TABS[each.where], words)}><time datetime=${each.at}>${moment(each.at)}</time></a>
      <span class="small quiet"><span class="foreign">${[each.program, each.model].filter(Boolean).join(" · ")}</span> · ${whereWords(each)}</span>
      <span class="found-text foreign"><${Marked} text=${each.excerpt} words=${words} /></span>
    </li>`;
}

function whereWords({ where, name }) {
  if (where === "tool") return say("inTheToolName", { name });
  if (where === "message") return say("inAMessageWho", { who: name });
  return { error: say("inTheError"), answer: say("inTheAnswer"), system: say("inTheSystemPrompt") }[where];
}
