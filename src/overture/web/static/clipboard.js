// Copying text. Browsers allow it on localhost and over https alone, and elsewhere there is no clipboard at all.
import { say } from "overture/say.js";

export async function copyText(text) {
  if (!navigator.clipboard) throw new Error(say("CopyNeedsLocalhost"));
  await navigator.clipboard.writeText(text);
}
