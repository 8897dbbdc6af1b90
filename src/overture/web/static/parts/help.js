// The keys, in a dialog of the browser's own: it keeps the focus and gives it back.
import { useEffect, useRef } from "preact/hooks";
import { html } from "overture/html.js";
import { KEYS } from "overture/keys.js";
import { Icon } from "overture/parts/icons.js";
import { say } from "overture/say.js";

export function Help({ open, onClose }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  return html`
    <dialog ref=${dialog} onClose=${onClose} aria-labelledby="keys">
      <header><h2 id="keys">${say("Keys")}</h2><button class="button bare" onClick=${onClose} aria-label=${say("Close")}><${Icon} name="close" /></button></header>
      <div class="inside"><table class="table"><tbody>
        ${KEYS.map(([keys, what]) => html`<tr key=${keys}><th scope="row">${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</th><td>${what}</td></tr>`)}
      </tbody></table></div>
    </dialog>`;
}
