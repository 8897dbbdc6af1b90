// A service that others can reach asks for its token first. It stays in this tab and goes into no address.
import { html } from "overture/html.js";
import { keepToken } from "overture/server.js";

export function TokenDoor({ then }) {
  const enter = (event) => {
    event.preventDefault();
    keepToken(new FormData(event.target).get("token").trim());
    then();
  };
  return html`
    <main class="empty">
      <b>This page needs a token</b>
      <p>It is the one that overture serve was started with.</p>
      <form onSubmit=${enter}><input class="field" name="token" type="password" aria-label="Token" autocomplete="off" required /> <button class="button main">Open</button></form>
    </main>`;
}
