// Taking the prompt along: its text, a provider's request, or what makes this very prompt.
import { useState } from "preact/hooks";
import { canTry } from "overture/address.js";
import { copyText } from "overture/clipboard.js";
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { say } from "overture/say.js";
import { ask } from "overture/server.js";

const request = (provider) => say("requestForProvider", { provider });
const FORMS = {
  text: say("theText"), command: say("theCommandLine"), python: "Python", json: say("JsonWithAllThatIsKnown"), anthropic: request("Anthropic"),
  "openai-responses": request("OpenAI (responses)"), "openai-chat": request("OpenAI (chat)"), gemini: request("Gemini"),
  bedrock: request("Bedrock"), ollama: request("Ollama"),
};

export function Copy({ page }) {
  const [form, setForm] = useState("text");
  const [told, setTold] = useState("");
  const copy = async () => {
    try {
      const text = form === "text" ? textOf(page.sheet) : (await ask("/page/copy", { ...page.wish, as: form })).text;
      await copyText(text);
      setTold(say("copiedWhat", { what: FORMS[form] }));
    } catch (error) {
      setTold(error.message);
    }
    setTimeout(() => setTold(""), 4000);
  };
  const forms = !canTry ? ["text"] : Object.keys(FORMS);
  return html`
    <div class="copy">
      <span class="small quiet foreign" role="status">${told}</span>
      ${forms.length > 1 && html`<select class="field" aria-label=${say("WhatToCopy")} value=${form} onChange=${(event) => setForm(event.target.value)}>${forms.map((name) => html`<option key=${name} value=${name}>${FORMS[name]}</option>`)}</select>`}
      <button class="button" onClick=${copy}><${Icon} name="copy" />${say("Copy")}</button>
    </div>`;
}

function textOf(sheet) {
  return sheet.blocks.map((block) => block.before + block.pieces.map((piece) => piece.text).join("")).join("");
}
