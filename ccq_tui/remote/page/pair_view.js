/** Asks for a code, or takes a link's, and for this device's name. */

import { el, fill } from "./dom.js";
import { PairingError, pairByCode, pairByLink, problemOf, suggestedName } from "./pairing.js";
import { RelayError } from "./relay.js";
import { SealError } from "./seal.js";

/**
 * @param {import("./pairing.js").Link | null} given
 * @param {() => void} paired
 * @returns {HTMLElement}
 */
export function pairView(given, paired) {
  const problem = given ? problemOf(given) : "";
  const link = problem ? null : given;
  const code = el("input", {
    id: "code",
    type: "text",
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
    placeholder: "XXXX-XXXX-XXXX-XXXX",
    maxlength: 40,
    required: true,
    "aria-describedby": "trouble",
  });
  const name = el("input", { id: "device", type: "text", maxlength: 60, autocomplete: "off", required: true });
  const trouble = el("p.wrong", { id: "trouble", role: "alert" }, problem);
  const go = el("button", { type: "submit", class: "primary" }, "Pair this device");
  suggestedName().then((suggested) => (name.value ||= suggested));

  const submit = async (event) => {
    event.preventDefault();
    go.disabled = true;
    fill(go, "Pairing…");
    trouble.textContent = "";
    try {
      const called = name.value.trim() || "My device";
      await (link ? pairByLink(link, called) : pairByCode(code.value, called));
      paired();
    } catch (error) {
      if (!(error instanceof PairingError || error instanceof RelayError || error instanceof SealError)) throw error;
      trouble.textContent = error.message;
    } finally {
      go.disabled = false;
      fill(go, "Pair this device");
    }
  };
  const how = link
    ? "Questions of your Claude sessions will appear here, and you can answer them."
    : "Run “ccq-tui phone” on your computer. Scan its QR code with this device, or type its code here.";
  const codeField = !link && el("div.field", el("label", { for: "code" }, "Code"), code);
  return el(
    "section.pairing",
    el("p.hint", how),
    el(
      "form",
      { onsubmit: submit, novalidate: true },
      codeField,
      el("div.field", el("label", { for: "device" }, "Name of this device"), name),
      trouble,
      go,
    ),
  );
}
