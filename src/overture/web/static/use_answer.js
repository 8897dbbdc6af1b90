// An answer of the server, asked for again when the prompt changes; until the new one is here, the old one stays.
import { useEffect, useState } from "preact/hooks";
import { ask } from "overture/server.js";

export function useAnswer(path, version) {
  const [found, setFound] = useState({ path: null, answer: null, problem: null });
  const [busy, setBusy] = useState(true);
  useEffect(() => {
    if (!path) return undefined;
    const end = new AbortController();
    setBusy(true);
    ask(path, undefined, end.signal).then(
      (answer) => { setFound({ path, answer, problem: null }); setBusy(false); },
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
