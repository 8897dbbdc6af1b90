// Dark or light, as the system says unless somebody chose; and the keyboard: one table, which the help shows.
import { useEffect, useRef, useState } from "preact/hooks";
import { choose, go, VIEWS } from "overture/address.js";
import { html } from "overture/html.js";
import { inside } from "overture/server.js";
import { Icon } from "overture/widgets.js";
import { VIEW_NAMES } from "overture/words.js";

const KEY = "overture-theme";
const THEMES = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" };

export const themeWords = (theme) => THEMES[theme];

export function keptTheme() {
  try {
    return localStorage.getItem(KEY) || "system";
  } catch {
    return "system"; // storage is switched off
  }
}

export function applyTheme(theme) {
  if (theme === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // It holds for this page then.
  }
  dispatchEvent(new Event(KEY));
}

export function turnTheme() {
  const order = Object.keys(THEMES);
  const next = order[(order.indexOf(keptTheme()) + 1) % order.length];
  applyTheme(next);
  return next;
}

// The theme, whoever changes it: a button or a key.
export function useTheme() {
  const [theme, set] = useState(keptTheme());
  useEffect(() => {
    const changed = () => set(keptTheme());
    addEventListener(KEY, changed);
    return () => removeEventListener(KEY, changed);
  }, []);
  return theme;
}

const KEYS = [
  ["?", "show these keys"],
  ...VIEWS.map((view, index) => [String(index + 1), VIEW_NAMES[view]]),
  ["j k", "next and previous section or row"],
  ["↓ ↑", "line by line, in the prompt"],
  ["→ ←", "from one source to the next, in the prompt"],
  ["Enter", "open, or keep in view"],
  ["Esc", inside ? "close" : "close, or back to what is sent"],
  ["/", "find"],
  ...(inside ? [] : [["b", "the budget of the prompt"]]),
  ["t", "dark, light, or system"],
];

function isTyping(event) {
  return /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName) && !/^(range|radio|checkbox)$/.test(event.target.type);
}

// Things that can be gone through carry `data-step`; the one that has the focus is where one is.
function step(by) {
  const all = [...document.querySelectorAll("main [data-step]")];
  if (!all.length) return;
  const at = all.indexOf(document.activeElement?.closest?.("[data-step]"));
  const next = all[Math.min(Math.max(at < 0 ? 0 : at + by, 0), all.length - 1)];
  next.focus();
  next.scrollIntoView({ block: next.dataset.step === "top" ? "start" : "nearest" });
}

function focusOn(selector) {
  const found = document.querySelector(selector);
  found?.focus();
  found?.select?.();
}

function focusBudget(view) {
  if (view !== "prompt") go("prompt");
  setTimeout(() => focusOn("[data-budget]"));
}

export function useKeys({ page, address, setHelp, help }) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (event.key === "Escape") {
        if (help) return;
        if (isTyping(event)) event.target.blur();
        else if (page.trying) choose({ budget: null });
        return;
      }
      if (isTyping(event)) return;
      const act = {
        "?": () => setHelp(true),
        j: () => step(1),
        k: () => step(-1),
        "/": () => focusOn("[data-find]"),
        b: !inside && (() => focusBudget(address.view)),
        t: () => page.say(themeWords(turnTheme())),
      }[event.key] || (VIEWS[event.key - 1] && (() => go(VIEWS[event.key - 1])));
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [page, address, help]);
}

// The keys, in a dialog of the browser's own: it keeps the focus and gives it back.
export function Help({ open, onClose }) {
  const dialog = useRef(null);
  useEffect(() => {
    if (open && !dialog.current.open) dialog.current.showModal();
    if (!open && dialog.current.open) dialog.current.close();
  }, [open]);
  return html`
    <dialog ref=${dialog} onClose=${onClose} aria-labelledby="keys">
      <header><h2 id="keys">Keys</h2>
        <button class="button bare" onClick=${onClose} aria-label="Close"><${Icon} name="close" /></button></header>
      <div class="inside"><table class="table"><tbody>
        ${KEYS.map(([keys, what]) => html`
          <tr key=${keys}><th scope="row">${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</th>
            <td>${what}</td></tr>`)}
      </tbody></table></div>
    </dialog>`;
}
