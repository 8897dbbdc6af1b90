// Which two turns are compared. The address says it (`2..5`); without one, the newest and the one before it.
import { useEffect, useState } from "preact/hooks";
import { ask } from "overture/server.js";

export function picked(place, turns) {
  const found = /^(\d{1,9})\.\.(\d{1,9})$/.exec(place || "");
  if (found) {
    const [a, b] = [Number(found[1]), Number(found[2])];
    return { a: Math.min(a, b), b: Math.max(a, b) };
  }
  return turns.length > 1 ? { a: turns.at(-2).turn, b: turns.at(-1).turn } : null;
}

// The earlier one always stands before the later one: whichever is moved past the other takes it along.
export function pickEarlier(turns, { b }, turn) {
  return { a: turn, b: turn < b ? b : turns.find((each) => each.turn > turn).turn };
}

export function pickLater(turns, { a }, turn) {
  return { a: turn > a ? a : turns.findLast((each) => each.turn < turn).turn, b: turn };
}

export const pair = ({ a, b }) => `${a}..${b}`;

// An answer of the server, asked for again whenever `version` is another one; the old one stands until then.
export function useAnswer(path, version) {
  const [state, setState] = useState({});
  useEffect(() => {
    if (!path) return undefined;
    let here = true;
    const end = new AbortController();
    ask(path, undefined, end.signal).then(
      (answer) => here && setState({ path, answer }),
      (problem) => here && setState((had) => ({ path, answer: problem.status === 0 && had.answer, problem })),
    );
    return () => { here = false; end.abort(); };
  }, [path, version]);
  return state;
}
