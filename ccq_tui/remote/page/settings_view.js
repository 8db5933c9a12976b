/** The pairings of this device, and its notifications. */

import { button, el, fill, said } from "./dom.js";
import { forget } from "./pairing.js";
import { isOpen, renewed, turnOff, turnOn } from "./push.js";
import { isForgetful, pairings } from "./storage.js";

/**
 * @param {(id: string) => string} stateOf How well its relay is heard.
 * @param {{pair: () => void, changed: () => void}} handlers
 * @returns {HTMLElement}
 */
export function settingsView(stateOf, handlers) {
  const rows = pairings().map((pairing) => pairingRow(pairing, stateOf(pairing.id), handlers.changed));
  return el(
    "section.settings",
    el("ul.pairs", ...rows),
    button("Pair with another computer", handlers.pair, "secondary"),
    notifications(false),
    isForgetful && el("p.trouble", "This browser keeps nothing. Drafts last until you close the page."),
  );
}

/** @param {import("./storage.js").Pairing} pairing @param {string} state @param {() => void} changed */
function pairingRow(pairing, state, changed) {
  const ask = () => {
    const keep = button("Keep", () => fill(way, remove), "secondary");
    const yes = button("Forget", () => forget(pairing).then(changed), "primary danger");
    fill(way, el("p.prompt", { role: "alert" }, "Forget it? You pair again with a new code."), keep, yes);
    keep.focus();
  };
  const remove = button("Forget", ask, "way", { "aria-label": `Forget ${pairing.machine || "this pairing"}` });
  const way = el("div.asks", remove);
  const mode = pairing.key ? "End-to-end encrypted" : "Not encrypted: the relay can read it";
  return el(
    "li.pair",
    el("h2", said(pairing.machine || "A computer")),
    el("p.hint", state),
    el("p.hint", `${mode} · this device is `, said(pairing.name)),
    way,
  );
}

/** Says whether this device notifies, and turns it on and off. @param {boolean} isOffer Whether it is an offer, which a person may put off. */
export function notifications(isOffer) {
  const holder = el(isOffer ? "section.notify.offer" : "section.notify", { hidden: true });
  const show = async (trouble = "") => {
    const { isThere, isOn, isNamed } = await renewed(pairings());
    holder.hidden = !isThere || (isOffer && !isOpen());
    fill(
      holder,
      el("h2", "Notifications"),
      el("p.hint", "This device shows one when a question waits."),
      !isNamed && el("p.hint", "Apple’s devices get none: for them, the relay needs an https name."),
      trouble && el("p.wrong", { role: "alert" }, trouble),
      isOffer && button("Not now", press(turnOff), "secondary"),
      button(isOn ? "Turn off" : "Turn on", press(isOn ? turnOff : turnOn), isOffer ? "primary" : "secondary"),
    );
  };
  const press = (turn) => () => turn(pairings()).then(show, (error) => show(error.message));
  show();
  return holder;
}
