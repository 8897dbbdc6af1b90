// The keyboard: one table, which the page obeys and the help shows.
import { useEffect } from "preact/hooks";
import { canTry, go, VIEWS } from "overture/address.js";
import { say } from "overture/say.js";
import { applyTheme, keptTheme, nextTheme, themeWords } from "overture/theme.js";
import { VIEW_NAMES } from "overture/words.js";

export const KEYS = [
  ["?", say("showTheseKeys")],
  ...VIEWS.map((view, index) => [String(index + 1), VIEW_NAMES[view]]),
  ["j k", say("nextPreviousSectionOrRow")],
  ["↓ ↑", say("lineLinePrompt")],
  ["→ ←", say("oneSourceNextPrompt")],
  ["Enter", say("openOrKeepInView")],
  ["Esc", canTry ? say("closeOrBackWhatSent") : say("close")],
  ["/", say("find")],
  ...(canTry ? [["b", say("howMuchRoomPromptHas")]] : []),
  ["t", say("darkLightOrSystemSays")],
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
  return Boolean(found);
}

export function useKeys({ page, address, setHelp, help }) {
  useEffect(() => {
    const pressed = (event) => {
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (event.key === "Escape") {
        if (help) return;
        if (isTyping(event)) event.target.blur();
        else if (page.trying) page.resetWish();
        return;
      }
      if (isTyping(event)) return;
      const act = {
        "?": () => setHelp(true),
        j: () => step(1),
        k: () => step(-1),
        "/": () => focusOn("[data-find]"),
        b: canTry && (() => { if (address.view !== "prompt" && address.view !== "map") go("prompt"); setTimeout(() => focusOn("[data-budget]")); }),
        t: () => { const next = nextTheme(keptTheme()); applyTheme(next); page.say(themeWords(next)); },
      }[event.key] || (VIEWS[event.key - 1] && (() => go(VIEWS[event.key - 1])));
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [page, address, help]);
}
