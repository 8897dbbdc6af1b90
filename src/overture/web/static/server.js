// The only door to data: the server that gave us this page, or what lies in the page itself.
import { say } from "overture/say.js";

const held = document.getElementById("overture-data");
export const inside = held ? JSON.parse(held.textContent) : null;
const TOKEN = "overture-token";

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

// GET without a body, POST with one. `signal` ends it.
export async function ask(path, body, signal) {
  if (inside) return fromInside(path);
  const method = body === undefined ? "GET" : "POST";
  const sent = body === undefined ? undefined : JSON.stringify(body);
  let answer;
  try {
    answer = await fetch(path, { method, headers: headers(body), body: sent, signal });
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
      try {
        await readEvents(hear, end.signal);
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
  const answer = await fetch("/page/events", { headers: headers(), signal });
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
