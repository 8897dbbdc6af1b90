// Trying things out: a budget, fewer tools, another hour; the prompt follows as one types.
import { html } from "overture/html.js";
import { Budget } from "overture/parts/budget.js";
import { Copy } from "overture/parts/copy.js";
import { PromptText } from "overture/parts/prompt_text.js";
import { Busy, ShownProblem } from "overture/parts/shown_problem.js";
import { StateField } from "overture/parts/state_field.js";
import { Switches } from "overture/parts/switches.js";
import { Bar } from "overture/parts/summary.js";
import { say } from "overture/say.js";
import { useAnswer } from "overture/use_answer.js";
import { hasOwnPrompt, tokens } from "overture/words.js";

export function PlayView({ page }) {
  const { answer, problem } = useAnswer("/page/state", page.version);
  if (problem) return html`<div class="page-view"><h1>${say("Play")}</h1><${ShownProblem} problem=${problem} /></div>`;
  if (!answer) return html`<div class="page-view"><h1>${say("Play")}</h1><${Busy} /></div>`;
  const { sheet } = page;
  return html`
    <div class="page-view play-view">
      <h1>${say("Play")}</h1>
      <p class="lead">${say("ChangeWhatPromptMadeWatch")}</p>
      <div class="play-columns">
        <div class="play-controls"><${Controls} page=${page} answer=${answer} /></div>
        <section class="play-result" aria-label=${say("ThePromptWithTheseChanges")}>
          <div class="play-head"><h2>${tokens(sheet.tokens, sheet)} ${say("tokens")} <span class="quiet">${change(page)}</span></h2><${Copy} page=${page} /></div>
          <${Bar} sheet=${sheet} />
          <div class="prompt-text"><${PromptText} sheet=${sheet} /></div>
        </section>
      </div>
    </div>`;
}

function change({ sheet, sent, trying }) {
  const more = trying && sent ? sheet.tokens - sent.tokens : 0;
  if (!more) return trying ? say("asManyAsAreSent") : say("asItIsSent");
  const n = Math.abs(more);
  return more > 0 ? say("nTokensMoreThanWhat", { n }) : say("nTokensFewerThanWhat", { n });
}

function Controls({ page, answer }) {
  const { wish, setWish } = page;
  const field = (path) => wish.set?.[path] ?? "";
  const set = (path, value) => setWish({ set: without({ ...wish.set, [path]: value === "" ? undefined : value }) });
  const given = answer.state || {};
  return html`
    <${Budget} page=${page} />
    ${!hasOwnPrompt(page.sheet) && html`<label>${say("Clock")}<input class="field" type="datetime-local" step="1" value=${local(field("now"))} onInput=${(event) => set("now", event.target.value && iso(event.target.value))} /></label>
    <label>${say("Channel")}<input class="field" value=${field("channel")} placeholder=${given.channel || "cli, telegram, …"} onInput=${(event) => set("channel", event.target.value)} /></label>
    <label>${say("Task")}<input class="field" value=${field("task")?.title ?? ""} placeholder=${given.task?.title || say("whatIsToBeDone")} onInput=${(event) => set("task", event.target.value && { id: given.task?.id || "1", title: event.target.value })} /></label>`}
    <${Switches} name=${say("Tools")} all=${answer.tools} off=${wish.tools_off || []} onOff=${(names) => setWish({ tools_off: names.length ? names : null })} />
    <${Switches} name=${say("Skills")} all=${answer.skills} off=${wish.skills_off || []} onOff=${(names) => setWish({ skills_off: names.length ? names : null })} />
    <${StateField} state=${given} set=${wish.set || {}} onSet=${(fields) => setWish({ set: fields })} problem=${page.wishProblem} />`;
}

function without(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

// The browser's clock has no zone; the one here is meant.
function iso(text) {
  const offset = -new Date(text).getTimezoneOffset();
  const two = (value) => String(Math.floor(Math.abs(value))).padStart(2, "0");
  return `${text.length === 16 ? `${text}:00` : text}${offset < 0 ? "-" : "+"}${two(offset / 60)}:${two(offset % 60)}`;
}

function local(text) {
  return typeof text === "string" ? text.slice(0, 19) : "";
}
