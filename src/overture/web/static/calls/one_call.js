// One call from all sides: its verdict, and behind the tabs what it is made of, said, and what came back.
import { useRef } from "preact/hooks";
import { href } from "overture/address.js";
import { backHref, callHref, useBack } from "overture/calls/address.js";
import { CallMessages, CallRequest, CopyCall, pathOf, ToolRows } from "overture/calls/contents.js";
import { LongText, Marked, useFound } from "overture/calls/long_text.js";
import { LEGEND, partsOf, TokenBar, verdictOf, whyWords } from "overture/calls/verdict.js";
import { html } from "overture/html.js";
import { Find, PromptText, usePointing } from "overture/prompt_text.js";
import { inside, useAnswer } from "overture/server.js";
import { SourcePanel } from "overture/source_panel.js";
import { Busy, ShownProblem } from "overture/widgets.js";
import { WordDiff } from "overture/word_diff.js";
import { bound, clock, count, money, number, percent, seconds, tokens } from "overture/words.js";

const TABS = {
  parts: ["Made of", CallParts], prompt: ["Prompt", CallPrompt], messages: ["Messages", CallMessages],
  changes: ["What changed", CallChanges], files: ["Files", CallFiles], request: ["Request", CallRequest],
  answer: ["Answer", CallAnswer],
};
const ASKED = { prompt: "prompt", files: "prompt", changes: "changes", messages: "messages" };

export function CallView({ page, id, tab, words }) {
  const { answer, problem } = useAnswer(`/page/call/${encodeURIComponent(id)}`, page.recorded);
  useBack(answer ? backHref(answer.run) : href("calls"));
  const shown = TABS[tab] ? tab : "parts";
  const [, Shown] = TABS[shown];
  // A page that is a file has the prompts of some calls.
  const isThere = (name) => !inside || !ASKED[name] || `/page/call/${id}/${ASKED[name]}` in inside;
  return html`
    <div class="page-view call-view">
      ${!answer && html`<h1>Call</h1>`}
      ${problem && !answer && html`<${ShownProblem} problem=${problem} /><p><a href=${href("calls")}>All calls</a></p>`}
      ${!answer && !problem && html`<${Busy} />`}
      ${answer && html`
        <${Head} call=${answer} tab=${tab} />
        <nav class="call-tabs" aria-label="About this call">${Object.keys(TABS).filter(isThere).map((name) => html`
          <a key=${name} href=${callHref(id, name)} aria-current=${shown === name ? "page" : undefined}
            ref=${shown === name ? inView : undefined}>${TABS[name][0]}</a>`)}</nav>
        <${Shown} page=${page} call=${answer} words=${words} key=${words} />`}
    </div>`;
}

// In a narrow window the tabs scroll: the chosen one is seen.
function inView(tab) {
  tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function Head({ call, tab }) {
  const { row } = call;
  const { look, sign, word } = verdictOf(row);
  const why = whyWords(row);
  const note = (title, text, kind = "") => html`
    <p class="call-note ${kind}"><b>${title}</b> <span class="foreign">${text}</span></p>`;
  return html`
    <p class="call-crumbs small">
      <a href=${backHref(call.run)}><span aria-hidden="true">←</span> All calls</a><span class="spring"></span>
      ${call.before
        ? html`<a href=${callHref(call.before, tab)} rel="prev"><span aria-hidden="true">‹</span> the previous call</a>`
        : html`<span class="quiet">the first of its conversation</span>`}
      ${call.after && html`
        <a href=${callHref(call.after, tab)} rel="next">the next <span aria-hidden="true">›</span></a>`}</p>
    <${CopyCall} call=${call} />
    <h1><span class="verdict is-${look}"><span aria-hidden="true">${sign}</span> ${word}</span>
      ${why && html`<span class="foreign">: ${why}</span>`}</h1>
    <p class="quiet call-lead">
      <span class="foreign" title=${call.why}>${call.conversation || "a conversation"}</span>${" · "}
      <time datetime=${row.at}>${clock(row.at)}</time>${" · "}
      <span class="foreign">${row.model || "no model named"}</span>${" · "}
      <span class="foreign">${call.host}${call.path}</span>${" · "}<span class="code">${row.id}</span></p>
    <${TokenBar} call=${row} most=${row.tokens || 1} />
    <${Figures} call=${call} />
    ${call.ruled_out.length > 0 && note("Ruled out:", call.ruled_out.join("; "))}
    ${call.diagnosis && note("The provider about its cache:", call.diagnosis)}
    ${call.error && note(`Status ${row.status || "none"}:`, call.error, "is-bad")}
    ${call.missing.map((each) => note("Not recorded:", each))}`;
}

function Figures({ call }) {
  const { row } = call;
  const parts = partsOf(row);
  const given = (value, other) => (value === undefined || value === null ? other : number(value));
  const lost = row.cost && html`<span class="lost">${money(row.cost)} of it lost</span>`;
  const rows = [
    ...LEGEND.map(([look, words]) => [number(parts[look]), words, look]),
    [given(row.predicted, "…"), "predicted from the cache"],
    [given(row.output, "?"), "tokens out"],
    [bound(row.dollars, row.at_least), lost || "price"],
    [seconds(row.first_ms) || "?", `to the first byte, ${seconds(call.whole_ms) || "?"} in all`],
  ];
  return html`
    <ul class="call-figures">${rows.map(([value, words, look], at) => html`
      <li key=${at}><b>${value}</b>
        <span class="small quiet">${look && html`<span class="swatch is-call-${look}"></span>`}${words}</span>
      </li>`)}</ul>
    ${row.said === false && html`
      <p class="small quiet">The provider reported no counts: these were counted here.</p>`}`;
}

const GROUPS = [["sections", "Sections of the system prompt"], ["tools", "Tools"], ["messages", "Messages by kind"]];

// What a call is made of: sections, tools by name, messages by kind, each with its share; and what else was set.
function CallParts({ call, words }) {
  // A page that is a file has the tools of some calls.
  const hasTools = !inside || pathOf(call, "tools") in inside;
  const filled = GROUPS.filter(([name]) => call[name].length > 0);
  return html`
    <p class="quiet small">
      ${tokens(call.tokens, call)} tokens, counted here (<span class="foreign">${call.tokenizer}</span>)
      ${call.not_counted.length > 0 && html`; not counted: <span class="foreign">${call.not_counted.join(", ")}</span>`}
    </p>
    <div class="call-groups">${filled.map(([name, title]) => html`
      <${Parts} key=${name} title=${title} parts=${call[name]} sheet=${call} words=${words}
        call=${name === "tools" && hasTools ? call : null} />`)}</div>
    ${call.settings.length > 0 && html`
      <h2 class="calls-title">Also set</h2>
      <dl class="also-set">${call.settings.map(([name, value]) => html`
        <div key=${name}><dt><span class="code foreign">${name}</span></dt>
          <dd><span class="code foreign"><${LongText} text=${value} /></span></dd></div>`)}</dl>`}
    ${!filled.length && html`<div class="empty"><b>The request was not recorded</b></div>`}`;
}

function Parts({ title, parts, sheet, call, words }) {
  const most = Math.max(...parts.map((part) => part.share), 0.001);
  const size = count(parts.reduce((all, part) => all + part.tokens, 0), "token");
  const row = (part, name, at) => html`<${PartRow} key=${at} part=${part} name=${name} most=${most} sheet=${sheet} />`;
  return html`
    <table class="table part-table">
      <caption><h2>${title}${" "}
        <span class="quiet">${number(parts.length)} · ${sheet.exact ? size : `about ${size}`}</span></h2></caption>
      <thead class="aside-word"><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Tokens</th>
        <th scope="col">Share</th></tr></thead>
      ${call ? html`<${ToolRows} call=${call} parts=${parts} words=${words} row=${row} />`
        : html`<tbody>${parts.map((part, at) => row(part, part.name, at))}</tbody>`}
    </table>`;
}

function PartRow({ part, name, most, sheet }) {
  return html`
    <tr>
      <th scope="row" class="foreign depth-${Math.min(Math.max(part.level - 1, 0), 3)}">${name}${part.count > 1
        && html` <span class="quiet">×${number(part.count)}</span>`}</th>
      <td class="part-size">
        <meter class="bar" min="0" max="1" value=${part.share / most} aria-hidden="true"></meter></td>
      <td class="number">${tokens(part.tokens, sheet)}</td><td class="number quiet">${percent(part.share)}</td>
    </tr>`;
}

const PACES = { turn: "changed since the previous call" };

// An answer about a call, or what stands in its place.
function useSide(call, side, version, word) {
  const { answer, problem } = useAnswer(pathOf(call, side), version);
  if (answer) return [answer, null];
  return [null, problem
    ? html`<div class="empty" role="alert"><span class="foreign">${problem.message}</span></div>`
    : html`<${Busy} word=${word} />`];
}

// The prompt of a call as it was sent, with where each text is from.
function CallPrompt({ call, page, words }) {
  const [answer, instead] = useSide(call, "prompt", page.version, "Searching for its files…");
  if (!answer) return instead;
  if (!answer.sheet.blocks.length && !answer.sheet.messages.length) {
    return html`<div class="empty"><b>This call has no system prompt</b>It contains messages only.</div>`;
  }
  return html`<${CapturedText} sheet=${answer.sheet} files=${answer.files} version=${page.version} words=${words} />`;
}

function CapturedText({ sheet, files, version, words }) {
  const text = useRef(null);
  const { at, pinned, letGo, handlers } = usePointing(sheet);
  const page = { sheet, version, captured: true };
  return html`
    <p class="quiet small">${tokens(sheet.tokens, sheet)} tokens in ${count(sheet.blocks.length, "section")}.${" "}
      <${Accounted} files=${files} /></p>
    <div class="call-prompt">
      <div>
        <${Find} text=${text} sheet=${sheet} words=${words} />
        <div class="prompt-text" ref=${text} ...${handlers}><${PromptText} sheet=${sheet} paces=${PACES} /></div>
      </div>
      <${SourcePanel} page=${page} at=${at} pinned=${pinned} onClose=${letGo} />
    </div>`;
}

function Accounted({ files }) {
  if (files.problem) return html`<span class="foreign">${files.problem}</span>`;
  if (files.share === null) return null;
  return `Files, as they are now, account for ${percent(files.share)} of the prompt; the rest is the agent's own text.`;
}

function CallFiles({ call, page }) {
  const [answer, instead] = useSide(call, "prompt", page.version, "Searching for its files…");
  if (!answer) return instead;
  const { files } = answer;
  const of = (sent) => files.files.filter((file) => file.sent === sent);
  return html`
    <p class="quiet small"><${Accounted} files=${files} /></p>
    ${!files.files.length && !files.problem && html`
      <div class="empty"><b>No file is part of this call</b>
        No text of this call is in a file of the project, of home or of the agent's folders.</div>`}
    ${[["Sent", of(true)], ["Not sent", of(false)]].map(([title, rows]) => rows.length > 0 && html`
      <h2 class="calls-title">${title} <span class="quiet">${rows.length}</span></h2>
      <ul class="file-list">${rows.map((file, at) => html`<${FileRow} key=${at} file=${file} />`)}</ul>`)}
    ${files.more > 0 && html`<p class="quiet">and ${count(files.more, "more file")}</p>`}
    ${files.notes.map((note) => html`<p class="small quiet foreign">${note}</p>`)}`;
}

function FileRow({ file }) {
  const name = html`<span class="foreign path">${file.shown}</span>`;
  return html`
    <li>${file.file ? html`<a data-step href=${href("files", `${file.file}:1`)}>${name}</a>` : name}
      <span class="number">${file.odd ? html`<span class="tag odd">differs from its rules</span>` : ""}</span>
      <span class="why small quiet foreign">${file.words}</span></li>`;
}

const CHANGES = { changed: "rewritten", added: "added", removed: "removed" };

// What a call has that the one before it in its conversation had not: the first byte that differs, then all of it.
function CallChanges({ call }) {
  if (call.before) return html`<${Changes} call=${call} />`;
  return html`<div class="empty"><b>Nothing to compare it with</b>
    No earlier call of its conversation has a response.</div>`;
}

function Changes({ call }) {
  const [answer, instead] = useSide(call, "changes", call.before, "Comparing…");
  if (!answer) return instead;
  const { first, parts, more, same } = answer;
  return html`
    <${First} first=${first} />
    ${parts.map((part, at) => html`<${ChangedPart} key=${at} part=${part} />`)}
    ${more > 0 && html`<p class="quiet">and ${count(more, "more changed message")}</p>`}
    <p class="quiet">${same > 0
      && `${count(same, "earlier message part is the same", "earlier message parts are the same")}.`}</p>`;
}

function First({ first }) {
  if (first.change === "same" || first.change === "appended") {
    const more = first.added ? ", with more after it" : "";
    const words = `Everything sent before is sent again, byte for byte${more}, so it can be read from the cache.`;
    return html`<p class="sentence">${words}</p>`;
  }
  const { byte, section, cause, before = "", after = "" } = first;
  const at = byte !== undefined && byte !== null && html` is at byte <b>${number(byte)}</b>`;
  const within = section && html`${at ? "," : " is"} in <b class="foreign">${section}</b>`;
  const why = cause && html`: <span class="foreign">${cause}</span>`;
  return html`
    <p class="sentence">The first difference${at}${within}${why}. Everything after it is paid in full again.</p>
    ${(before || after) && html`<${Around} before=${before} after=${after} />`}`;
}

// The text around the first difference, in both; the sign at which they part is marked.
function Around({ before, after }) {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const marked = (text) => html`${text.slice(0, same)}<mark class="first-byte">${text[same] || " "}</mark>`;
  const line = (text, kind, sign, words) => html`
    <div class="word-line is-${kind}"><span class="sign" aria-hidden="true">${sign}</span>
      <span class="aside-word">${words}</span>
      <span class="foreign text">${marked(text)}${text.slice(same + 1)}</span></div>`;
  return html`<div class="card word-diff first-around" role="group" aria-label="The first difference">
    ${line(before, "gone", "−", "before:")}${line(after, "new", "+", "after:")}</div>`;
}

function ChangedPart({ part: { kind, name, change, words, cut } }) {
  return html`
    <section class="card turn-block" aria-label="${kind} ${name}">
      <header><span class="small quiet">${kind}</span><h2 class="foreign">${name}</h2>
        <span class="change is-${change}">${CHANGES[change]}</span></header>
      ${words.length > 0 && html`<${WordDiff} words=${words} />`}
      ${cut > 0 && html`<p class="small quiet told-why">${number(cut)} more characters are not shown</p>`}
    </section>`;
}

// What came back: the reply, the tools that it calls, and the provider's own count.
function CallAnswer({ call, words }) {
  useFound(words);
  const facts = [
    ["Status", call.row.status || "no response"],
    ["Stop reason", call.stop || "unknown"],
    ["Tool calls", call.called.join(", ") || "none"],
    ["Sent", call.stream ? "as a stream" : "in one piece"],
    ["Took", seconds(call.whole_ms) || "unknown"],
  ];
  const text = (label, content) => html`
    <pre class="card call-text foreign" tabindex="0" role="region" aria-label=${label}>${content}</pre>`;
  return html`
    <dl class="call-facts">${facts.map(([name, value]) => html`
      <div key=${name}><dt class="small quiet">${name}</dt><dd class="foreign">${value}</dd></div>`)}</dl>
    <h2 class="calls-title">Reply</h2>
    ${call.reply ? text("Reply", html`<${Marked} text=${call.reply} words=${words} />`)
      : html`<p class="quiet">The response has no text.</p>`}
    <h2 class="calls-title">Usage, as the provider reported it</h2>
    ${call.usage ? text("Usage", JSON.stringify(call.usage, null, 2))
      : html`<p class="quiet">It reported no counts.</p>`}`;
}
