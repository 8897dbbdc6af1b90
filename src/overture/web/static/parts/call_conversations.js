// Who spoke: the main agent, its sub-agents, titles and summaries; and what was paid for again, the dearest first.
import { html } from "overture/html.js";
import { runHref } from "overture/parts/call_address.js";
import { isCounted, verdictOf } from "overture/parts/call_words.js";
import { say } from "overture/say.js";
import { inside } from "overture/server.js";
import { bound, money, percent } from "overture/words.js";

const calls = (n) => say("nCalls", { n });
const tokens = (n) => say("nTokens", { n });

export function CallConversations({ answer }) {
  return html`
    <div class="calls-two">
      <section aria-label=${say("Conversations")}>
        <h2>${say("Conversations")}</h2>
        <ul class="conversations">${answer.conversations.map((conversation, at) => html`<${Conversation} key=${at} conversation=${conversation} at=${at} answer=${answer} />`)}</ul>
      </section>
      <section aria-label=${say("PaidAgain")}>
        <h2>${say("PaidAgain")}</h2>
        ${answer.causes.length
          ? html`<ul class="causes">${answer.causes.map((each) => html`<${Cause} key=${each.reason + each.cause} each=${each} />`)}</ul>`
          : html`<p class="quiet">${say("NothingSentBeforeHadPaid")}</p>`}
      </section>
    </div>`;
}

function Conversation({ conversation, at, answer }) {
  const chosen = answer.conversation === at;
  const name = html`<b class="foreign">${conversation.title || conversation.name}</b>${conversation.title && html` <span class="small quiet foreign">${kindOf(conversation)}</span>`}`;
  return html`
    <li class="conversation-${at % 6}" title=${conversation.why}>
      ${inside || answer.conversations.length < 2 ? html`<span class="conversation-name">${name}</span>`
        : html`<a class="conversation-name" data-step href=${runHref(answer.run, chosen ? null : at)} aria-current=${chosen ? "true" : undefined}>${name}${chosen && html` <span class="small">${say("aloneShowAll")}</span>`}</a>`}
      <span class="number">${bound(conversation.dollars, conversation.at_least)}</span>
      <span class="small quiet">${isCounted(answer) ? say("callsInputShareCacheOutput", { calls: calls(conversation.calls), input: conversation.tokens, share: percent(conversation.read / (conversation.tokens || 1)), output: conversation.output }) : say("callsInput", { calls: calls(conversation.calls), input: conversation.tokens })}</span>
      <span class="small number">${conversation.cost ? html`<span class="lost">${say("moneyLost", { money: money(conversation.cost) })}</span>` : ""}</span>
    </li>`;
}

// `sub-agent: find who left` has the words of its title again.
const kindOf = ({ name, title }) => (name.endsWith(`: ${title}`) ? name.slice(0, -title.length - 2) : name);

function Cause({ each }) {
  return html`
    <li>
      <b class="number lost">${each.dollars === null ? tokens(each.tokens) : money(each.dollars)}</b>
      <span><span class="foreign">${each.cause}</span> <span class="small quiet">${verdictOf(each).word}, ${calls(each.calls)}, ${tokens(each.tokens)}</span></span>
    </li>`;
}
