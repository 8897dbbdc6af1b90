// Where one is among the calls: `#/calls`, `#/calls/run/ID`, `#/calls/search/WORDS`, `#/calls/call/ID/changes`.
import { useEffect } from "preact/hooks";
import { href } from "overture/address.js";
import { html } from "overture/html.js";
import { count } from "overture/words.js";

let listAt = ""; // the address of the list that was seen last

export function placeOf(place) {
  const [kind, id = "", rest = "", words = ""] = place.split("/").map(decodeURIComponent);
  if (kind === "call" && id) return { call: id, tab: rest || "parts", words };
  if (kind === "search" && id) return { search: id };
  if (kind === "run" && id) return { run: id, conversation: rest === "" ? null : Number(rest) };
  return { run: null, conversation: null };
}

const to = (...parts) => href("calls", parts.map(encodeURIComponent).join("/"));

// With words, where they stand in it.
export function callHref(id, tab = "parts", words = "") {
  if (words) return to("call", id, tab, words);
  return tab === "parts" ? to("call", id) : to("call", id, tab);
}

export const searchHref = (words) => to("search", words);
export const runHref = (run, conversation = null) =>
  (conversation === null ? to("run", run) : to("run", run, String(conversation)));

// Back from a call: to the list as it was, or to that of its run.
export const backHref = (run) => listAt || runHref(run);

export function rememberList() {
  listAt = location.hash;
}

// Esc leads back to the list, unless it closes something first.
export function useBack(address) {
  useEffect(() => {
    const pressed = (event) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      const busy = event.defaultPrevented || isTyping || document.querySelector("dialog[open]");
      if (event.key === "Escape" && !busy) location.hash = address;
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [address]);
}

// The page holds the newest calls of a store; what tells of the others.
export const leftOut = (n, command) => html`
  ${count(n, "older call is", "older calls are")} recorded and not shown here: <code>${command}</code>`;
