// The page: which sheet is shown, which view, and what is heard from the server.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { canTry, useAddress } from "overture/address.js";
import { html, visible } from "overture/html.js";
import { useKeys } from "overture/keys.js";
import { say } from "overture/say.js";
import { ask, inside, listen } from "overture/server.js";
import { keepSame } from "overture/same_blocks.js";
import { Head } from "overture/parts/head.js";
import { Help } from "overture/parts/help.js";
import { Rail } from "overture/parts/rail.js";
import { Strips } from "overture/parts/strips.js";
import { TokenDoor } from "overture/parts/token_door.js";
import { useChange } from "overture/use_change.js";
import { VIEW } from "overture/views/all.js";

const NOTHING = {};

export function App() {
  const address = useAddress();
  const page = usePage(address.view === "turns");
  const [help, setHelp] = useState(false);
  useKeys({ page, address, setHelp, help });
  useEffect(() => { if (page.sheet || !inside) document.title = page.sheet ? `${visible(page.sheet.project)} · Overture` : "Overture"; }, [page.sheet]);
  if (page.problem?.status === 401) return html`<${TokenDoor} then=${page.refresh} />`;
  const View = VIEW[address.view];
  return html`
    <div class="frame">
      <button class="button skip" onClick=${() => document.getElementById("main").focus()}>${say("SkipToContent")}</button>
      <${Head} page=${page} onHelp=${() => setHelp(true)} />
      <${Strips} page=${page} />
      <${Rail} page=${page} address=${address} />
      <main class="main ${address.view === "prompt" ? "whole" : ""}" id="main" tabindex="-1">
        ${page.sheet || address.view === "calls" ? html`<${View} page=${page} place=${address.place} />` : html`<${Waiting} page=${page} />`}
      </main>
      <${Help} open=${help} onClose=${() => setHelp(false)} />
      <div class="aside-word" role="status">${page.said}</div>
    </div>`;
}

function Waiting({ page }) {
  if (page.problem) return html`<div class="empty"><b>${say("ThereNothingShowYet")}</b><span class="foreign">${page.problem.message}</span></div>`;
  return html`<div class="empty" aria-busy="true">${say("ReadingTheProject")}</div>`;
}

// What is shown: the prompt that is sent, or, while somebody tries something out, what it would be.
function usePage(looking) {
  const [sent, setSent] = useState(null);
  const [played, setPlayed] = useState(null);
  const [wish, setWish] = useState(NOTHING);
  const [problem, setProblem] = useState(null);
  const [wishProblem, setWishProblem] = useState(null);
  const [live, setLive] = useState(inside ? "file" : "wait");
  const [broken, setBroken] = useState(null);
  const [refused, setRefused] = useState(null);
  const [told, setTold] = useState("");
  const [version, setVersion] = useState(0);
  const [follows, setFollows] = useState(null);
  const [recorded, setRecorded] = useState(0);

  const known = useRef({ turn: null, asking: null, lost: false });

  const refresh = useCallback(() => (known.current.asking = take()), []);
  const take = async () => {
    try {
      const sheet = await ask("/page/sheet");
      known.current.turn = sheet.turn;
      setSent((had) => keepSame(had, sheet));
      setBroken(sheet.broken);
      setProblem(null);
      setVersion((at) => at + 1);
    } catch (error) {
      setProblem(error);
    }
  };

  // The stream begins with the newest turn, which is here already; sessions elsewhere count theirs anew.
  const turned = (turn) => {
    if (canTry && turn === known.current.turn) return;
    refresh();
    setTold(say("ThePromptChanged", { turn: String(turn) }));
  };

  useEffect(() => {
    refresh();
    return listen((name, data) => {
      if (name === "here") setLive("live");
      if (name === "here" && known.current.lost) refresh(); // another server may have another prompt
      if (name === "here" || name === "away") known.current.lost = name === "away";
      if (name === "away") setLive("away");
      if (name === "gone") setLive("gone");
      if (name === "broken") setBroken(data.message || say("AFileCantBeUsed"));
      if (name === "mended") setBroken(null);
      if (name === "turn") setLive("live"); // of a session that begins where another ended
      if (name === "turn") known.current.asking.then(() => turned(data.turn));
      if (name === "calls" || name === "here") setRecorded((at) => at + 1);
    });
  }, [refresh]);

  useEffect(() => {
    if (sent && follows === null && canTry) ask("/page/turns").then((answer) => setFollows(answer.follows), () => {}); // nearly all do
  }, [sent, follows]);
  usePlay({ wish, sent, setPlayed, setWishProblem });
  const changed = useChange(sent, looking);
  const trying = Object.keys(wish).length > 0;
  return {
    sheet: trying && played ? played : sent,
    sent, trying, wish, wishProblem, problem, live, broken, refused, said: told, version, recorded, follows, refresh, say: setTold, refuse: setRefused, ...changed,
    setWish: (change) => setWish((had) => without({ ...had, ...change })),
    resetWish: () => setWish(NOTHING),
  };
}

// A wish that is null is none.
function without(wish) {
  const kept = Object.entries(wish).filter(([, value]) => value !== null && value !== undefined && !isEmpty(value));
  return kept.length ? Object.fromEntries(kept) : NOTHING;
}

function isEmpty(value) {
  return typeof value === "object" && Object.keys(value).length === 0;
}

// One question at a time: while one is out, only the newest wish waits.
function usePlay({ wish, sent, setPlayed, setWishProblem }) {
  const out = useRef(null);
  useEffect(() => {
    out.current?.abort();
    if (wish === NOTHING) {
      setPlayed(null);
      setWishProblem(null);
      return;
    }
    const now = (out.current = new AbortController());
    ask("/page/play", wish, now.signal).then(
      (answer) => { setPlayed((had) => keepSame(had || sent, answer.sheet)); setWishProblem(null); },
      (error) => error.name !== "AbortError" && setWishProblem(error),
    );
  }, [wish, sent]);
}
