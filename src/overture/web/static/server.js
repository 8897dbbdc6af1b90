// The only door to data: the server that gave us this page, or what lies in the page itself.
import { useEffect, useState } from "preact/hooks";
import { read } from "overture/address.js";

const held = document.getElementById("overture-data");
export const inside = held ? JSON.parse(held.textContent) : null;

export class Problem extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || `The server responded with ${status}.`);
    this.status = status;
    this.path = problem.path || "";
  }
}

// A question about the agent and the model that the address names.
function aboutChoice(path) {
  const { recipe, model } = read(location.hash);
  const query = new URLSearchParams({ ...(recipe && { recipe }), ...(model && { model }) });
  return query.size ? `${path}${path.includes("?") ? "&" : "?"}${query}` : path;
}

// `signal` ends it.
export async function ask(path, signal) {
  if (inside) return fromInside(path);
  let answer;
  try {
    answer = await fetch(aboutChoice(path), { signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: "The server does not respond. Is its command still running?" }, 0);
  }
  if (answer.ok) return answer.json();
  throw new Problem(await answer.json().catch(() => ({})), answer.status);
}

// What is the same for several calls lies in the page once.
async function fromInside(path) {
  if (path in inside) return inside[path]?.same_as ? inside[inside[path].same_as] : inside[path];
  throw new Problem({ detail: "This page is a file without a server. Run overture serve for this." }, 0);
}

// Events as they come, again and again after a loss, until the function that is returned is called.
export function listen(hear) {
  if (inside) return () => {};
  let source, timer;
  const open = () => {
    source = new EventSource(aboutChoice("/page/events"));
    source.onopen = () => hear("here", {});
    for (const name of ["turn", "broken", "mended", "calls"]) {
      source.addEventListener(name, (event) => hear(name, JSON.parse(event.data)));
    }
    source.onerror = () => {
      // A browser tries again after a loss, but not after a refusal.
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, 1000);
      else hear("away", {});
    };
  };
  open();
  return () => { clearTimeout(timer); source.close(); };
}

const known = new Map(); // the last answers: whoever comes back to a view finds what was there
const MAX_KNOWN = 20;

function remember(key, found) {
  known.delete(key);
  known.set(key, found);
  if (known.size > MAX_KNOWN) known.delete(known.keys().next().value);
  return found;
}

// An answer, asked for again when the prompt changes; until the new one is here, the old one stays.
export function useAnswer(path, version) {
  const [found, setFound] = useState(known.get(aboutChoice(path || "")) || { path: null, answer: null, problem: null });
  const [busy, setBusy] = useState(true);
  useEffect(() => {
    if (!path) return undefined;
    const end = new AbortController();
    setBusy(true);
    ask(path, end.signal).then(
      (answer) => { setFound(remember(aboutChoice(path), { path, answer, problem: null })); setBusy(false); },
      (problem) => {
        if (problem.name === "AbortError") return;
        setFound((had) => ({ path, answer: had.path === path ? had.answer : null, problem }));
        setBusy(false);
      },
    );
    return () => end.abort();
  }, [path, version]);
  return { ...found, busy };
}
