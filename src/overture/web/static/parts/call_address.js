// Where one is among the calls, and the answer for it: `#/calls`, `#/calls/run/ID`, `#/calls/search/WORDS`, `#/calls/call/ID/changes`.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { href } from "overture/address.js";
import { say } from "overture/say.js";
import { ask, inside } from "overture/server.js";

const PAGE = 200; // calls that are asked for at once
const known = new Map(); // the last answers: whoever comes back finds what was there
const scrolled = new Map();
const PAUSE = 60;
let listAt = ""; // the address of the list that was seen last

export function placeOf(place) {
  const [kind, id = "", rest = "", words = ""] = place.split("/").map(decodeURIComponent);
  if (kind === "call" && id) return { call: id, tab: rest || "parts", words };
  if (kind === "search" && id) return { search: id };
  if (kind === "run" && id) return { run: id, conversation: rest === "" ? null : Number(rest) };
  return { run: null, conversation: null };
}

const joined = (...parts) => parts.map(encodeURIComponent).join("/");
// With words, where they stand in it.
export const callHref = (id, tab = "parts", words = "") =>
  href("calls", words ? joined("call", id, tab, words) : tab === "parts" ? joined("call", id) : joined("call", id, tab));
export const searchHref = (words) => href("calls", joined("search", words));
export const runHref = (run, conversation = null) => href("calls", conversation === null ? joined("run", run) : joined("run", run, String(conversation)));

// Back from a call: to the list as it was, or to that of its run.
export const backHref = (run) => listAt || runHref(run);

// Esc leads back to the list, unless it closes something first.
export function useBack(address) {
  useEffect(() => {
    const pressed = (event) => {
      const busy = event.defaultPrevented || document.querySelector("dialog[open]") || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === "Escape" && !busy) location.hash = address;
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [address]);
}

export function rememberList() {
  listAt = location.hash;
}

// The list, asked for again when calls were recorded, and while some of them are not looked at yet. One question at a
// time: calls may come faster than they are told.
export function useCalls(page, run, conversation) {
  const [most, setMost] = useState(PAGE);
  const [again, setAgain] = useState(0);
  const path = listPath(run, conversation, most);
  const [state, setState] = useState({ answer: known.get(path) || null, problem: null });
  const out = useRef({});
  useEffect(() => {
    rememberList();
    if (out.current.path === path) {
      out.current.dirty = true;
      return;
    }
    out.current.end?.abort();
    const mine = (out.current = { path, end: new AbortController() });
    ask(path, undefined, mine.end.signal).then(
      (answer) => {
        known.clear();
        known.set(path, answer);
        setState((had) => { tellMore(page, had.answer, answer); return { answer, problem: null }; });
        if (answer.judged < answer.total) mine.dirty = true;
      },
      (problem) => problem.name !== "AbortError" && setState((had) => ({ answer: problem.status === 0 ? had.answer : null, problem })),
    ).finally(() => {
      mine.path = null;
      if (mine.dirty && out.current === mine) setTimeout(() => setAgain((at) => at + 1), PAUSE);
    });
  }, [path, page.recorded, again]);
  useEffect(() => () => out.current.end?.abort(), []);
  usePlace(path);
  return { ...state, more: () => setMost((had) => had + PAGE) };
}

function tellMore(page, had, answer) {
  if (had && had.run === answer.run && answer.total > had.total) page.say(say("nNewCalls", { n: answer.total - had.total }));
}

function listPath(run, conversation, most) {
  if (inside) return "/page/calls";
  const asked = new URLSearchParams({ ...(run && { run }), ...(conversation !== null && { conversation }), ...(most > PAGE && { most }) }).toString();
  return `/page/calls${asked && `?${asked}`}`;
}

// Whoever comes back from a call is where they were.
function usePlace(path) {
  useLayoutEffect(() => {
    const main = document.getElementById("main");
    main.scrollTop = scrolled.get(path) || 0;
    const keep = () => scrolled.set(path, main.scrollTop);
    main.addEventListener("scroll", keep, { passive: true });
    return () => main.removeEventListener("scroll", keep);
  }, [path.split("?")[0]]);
}
