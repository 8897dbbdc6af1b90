// A service that others can reach asks for its token first. It stays in this tab and goes into no address.
import { useState } from "preact/hooks";
import { html } from "overture/html.js";
import { say } from "overture/say.js";
import { keepToken } from "overture/server.js";

export function TokenDoor({ then }) {
  const [refused, setRefused] = useState(false);
  const enter = async (event) => {
    event.preventDefault();
    const form = event.target;
    keepToken(new FormData(form).get("token").trim());
    await then(); // where it was the right one, this door is gone
    form.reset();
    setRefused(true);
  };
  return html`
    <main class="empty">
      <h1>${say("ThisPageNeedsAToken")}</h1>
      <p>${say("OneOvertureServeStartedWith")}</p>
      ${refused && html`<p role="alert">${say("AnotherOneTryAgain")}</p>`}
      <form onSubmit=${enter}><input class="field" name="token" type="password" aria-label=${say("Token")} autocomplete="off" required /> <button class="button main">${say("Open")}</button></form>
    </main>`;
}
