// Taking a call along: its request as it was written, or a command that sends it again.
import { useState } from "preact/hooks";
import { copyText } from "overture/clipboard.js";
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { bodyOf } from "overture/parts/one_call/held_texts.js";
import { say } from "overture/say.js";
import { ask, inside } from "overture/server.js";

export const pathOf = (call, side) => `/page/call/${encodeURIComponent(call.row.id)}/${side}`;

// Why a request can't be shown or copied; empty where it can.
export function whyNot(call) {
  if (call.request === "nothing") return say("RecordedBeforeRequestsWereKept");
  if (inside && !(pathOf(call, "request") in inside)) return say("FileDoesNotHoldRun");
  return "";
}

const NO_BODY = say("BodyRequestNotKept");
// As a shell takes it: within single quotes, which end for each one that the text holds.
const quoted = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

export function CopyCall({ call }) {
  const [told, setTold] = useState("");
  const why = whyNot(call);
  const done = async (what, make, reason) => {
    if (reason) return reason;
    try {
      await copyText(make(await ask(pathOf(call, "request"))));
      return say("copiedWhat", { what });
    } catch (error) {
      return error.message;
    }
  };
  const copy = (what, make, reason) => async () => {
    const now = await done(what, make, reason);
    setTold(now);
    setTimeout(() => setTold((had) => (had === now ? "" : had)), 6000);
  };
  const button = (what, words, make, reason) => html`
    <button class="button" aria-disabled=${reason ? "true" : undefined} title=${reason || undefined} aria-description=${reason || undefined} onClick=${copy(what, make, reason)}><${Icon} name="copy" />${words}</button>`;
  return html`
    <div class="copy-call">
      <span class="small quiet foreign" role="status">${told}</span>
      ${button(say("theRequest"), say("CopyTheRequest"), (request) => bodyAsText(call, request), why || (call.request === "heads" && NO_BODY))}
      ${button("cURL", say("CopyAsCurl"), (request) => request.curl.join(quoted(bodyOf(request))), why)}
    </div>`;
}

function bodyAsText(call, request) {
  if (!request.is_text) throw new Error(say("BodyNoTextBytesCommand", { command: `overture tap show ${call.row.id} --request` }));
  return bodyOf(request);
}
