// The only door to data: the server that gave us this page, or what lies in the page itself.
import { say } from "overture/say.js";

const held = document.getElementById("overture-data");
export const inside = held ? JSON.parse(held.textContent) : null;
const TOKEN = "overture-token";
const TAB = "overture-tab";
let stream = new AbortController();

export class Problem extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || say("TheServerAnsweredStatus", { status: String(status) }));
    this.status = status;
    this.path = problem.path || "";
  }
}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

function headers(body) {
  const token = held ? null : sessionStorage.getItem(TOKEN);
  return {
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...(token ? { Authorization: `Bearer ${token}` } : {}),
  };
}

// A tab that chose something has a page of its own on the server, also after a reload.
function ofTab(path) {
  const tab = sessionStorage.getItem(TAB);
  return tab ? `${path}${path.includes("?") ? "&" : "?"}tab=${tab}` : path;
}

export async function choose(recipe, model) {
  if (!sessionStorage.getItem(TAB)) sessionStorage.setItem(TAB, [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  const answer = await ask("/page/choose", { recipe, model });
  stream.abort(); // what is heard from now on is of the new choice
  return answer;
}

// GET without a body, POST with one. `signal` ends it.
export async function ask(path, body, signal) {
  if (inside) return fromInside(path);
  const method = body === undefined ? "GET" : "POST";
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(ofTab(path), { method, headers: headers(body), body: sent, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ detail: say("ServerDoesNotAnswerOverture") }, 0);
  }
  if (answer.ok) return answer.json();
  throw new Problem(await answer.json().catch(() => ({})), answer.status);
}

// What is the same for several calls lies in the page once.
async function fromInside(path) {
  if (path in inside) return inside[path]?.same_as ? inside[inside[path].same_as] : inside[path];
  throw new Problem({ detail: say("PageFileHasNoServer") }, 0);
}

// Events as they come, again and again after a loss, until `stop` is called. EventSource can't send a token.
export function listen(hear) {
  if (inside) return () => {};
  const end = new AbortController();
  (async () => {
    while (!end.signal.aborted) {
      stream = new AbortController();
      end.signal.onabort = () => stream.abort();
      try {
        await readEvents(hear, stream.signal);
      } catch (error) {
        if (error.name === "AbortError") continue;
      }
      hear("away", {});
      await new Promise((go) => setTimeout(go, 1000));
    }
  })();
  return () => end.abort();
}

async function readEvents(hear, signal) {
  const answer = await fetch(ofTab("/page/events"), { headers: headers(), signal });
  if (!answer.ok) throw new Problem({}, answer.status);
  hear("here", {});
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    events.map(readEvent).forEach((event) => event && hear(event.name, event.data));
  }
}

function readEvent(text) {
  const fields = Object.fromEntries(text.split("\n").map((line) => [line.split(":")[0], line.slice(line.indexOf(":") + 1).trim()]));
  return fields.event ? { name: fields.event, data: JSON.parse(fields.data || "{}") } : null;
}
