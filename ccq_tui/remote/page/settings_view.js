/** The pairings of this device, and its notifications. */

import { button, el, fill, said } from "./dom.js";
import { forget } from "./pairing.js";
import { isSubscribed, pushKey, subscribe, unsubscribe } from "./push.js";
import { RelayError } from "./relay.js";
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
    notifications(),
    isForgetful && el("p.trouble", "This browser keeps nothing. Drafts last until you close the page."),
  );
}

/** @param {import("./storage.js").Pairing} pairing @param {string} state @param {() => void} changed */
function pairingRow(pairing, state, changed) {
  const ends = async () => {
    try {
      await forget(pairing);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
    }
    changed();
  };
  const ask = () => {
    const keep = button("Keep", () => fill(way, remove), "secondary");
    fill(
      way,
      el("p.prompt", { role: "alert" }, "Forget it? You pair again with a new code."),
      keep,
      button("Forget", ends, "primary danger"),
    );
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

function notifications() {
  const [first] = pairings();
  const holder = el("section.notify", { hidden: true });
  if (!first) return holder;
  const show = async () => {
    const [key, isOn] = [await pushKey(first), await isSubscribed()];
    holder.hidden = !key;
    const toggle = async () => {
      try {
        await (isOn ? unsubscribe(pairings()) : subscribe(pairings(), key));
        await show();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        holder.append(el("p.wrong", { role: "alert" }, error.message));
      }
    };
    fill(
      holder,
      el("h2", "Notifications"),
      el("p.hint", "This device shows one when a question waits."),
      button(isOn ? "Turn off" : "Turn on", toggle, "secondary"),
    );
  };
  show();
  return holder;
}
