// Taking the prompt along: its text, a provider's request, or what makes this very prompt.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { Icon } from "overture/parts/icons.js";
import { ask, inside } from "overture/server.js";

const FORMS = {
  text: "the text", command: "the command line", python: "Python", json: "JSON, with all that is known", anthropic: "request for Anthropic",
  "openai-responses": "request for OpenAI (responses)", "openai-chat": "request for OpenAI (chat)", gemini: "request for Gemini",
  bedrock: "request for Bedrock", ollama: "request for Ollama",
};

export function Copy({ page }) {
  const [form, setForm] = useState("text");
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      const text = form === "text" ? textOf(page.sheet) : (await ask("/page/copy", { ...page.wish, as: form })).text;
      await navigator.clipboard.writeText(text);
      setSaid(`copied: ${FORMS[form]}`);
    } catch (error) {
      setSaid(error.message);
    }
    setTimeout(() => setSaid(""), 4000);
  };
  const forms = inside ? ["text"] : Object.keys(FORMS);
  return html`
    <div class="copy">
      <span class="small quiet foreign" role="status">${said}</span>
      <select class="field" aria-label="What to copy" value=${form} onChange=${(event) => setForm(event.target.value)}>${forms.map((name) => html`<option key=${name} value=${name}>${FORMS[name]}</option>`)}</select>
      <button class="button" onClick=${copy}><${Icon} name="copy" />Copy</button>
    </div>`;
}

function textOf(sheet) {
  return sheet.blocks.map((block) => block.before + block.pieces.map((piece) => piece.text).join("")).join("");
}
