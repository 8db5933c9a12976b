/** Notifications by Web Push, where browser and relay have it; a subscription holds for all pairings. */

import { call } from "./relay.js";
import { toBase64 } from "./seal.js";

const WANTED = "ccq.push";

/** @typedef {{isThere: boolean, isOn: boolean, isNamed: boolean}} Push Whether there can be any, there are, and the relay has an https name. */

const canPush = () => "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** Whether nobody was asked yet. */
export const isOpen = () => Notification.permission === "default" && !localStorage.getItem(WANTED);

/**
 * Has the relay push for all pairings, if a person wants that: it forgets a subscription that failed once, and a
 * pairing, a key of the relay, or a subscription may be new.
 * @param {import("./storage.js").Pairing[]} pairings @returns {Promise<Push>}
 */
export async function renewed(pairings) {
  const asked = canPush() ? pairings.map(({ id, token }) => call("GET", `/push/${id}`, { token })) : [];
  const { key = "", named } = await Promise.any(asked).catch(() => ({}));
  const isOn = Boolean(key) && (await isSubscribed(pairings, key).catch(() => false));
  return { isThere: Boolean(key), isOn, isNamed: named !== false };
}

/** @param {import("./storage.js").Pairing[]} pairings @param {string} key */
async function isSubscribed(pairings, key) {
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  const isWanted = before ? localStorage.getItem(WANTED) !== "no" : localStorage.getItem(WANTED) === "yes";
  if (!isWanted || Notification.permission !== "granted") return false;
  const used = before?.options.applicationServerKey;
  if (used && toBase64(new Uint8Array(used)) !== key) await before.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = (await pushManager.subscribe(options)).toJSON();
  await Promise.any(pairings.map(({ id, token }) => call("POST", `/push/${id}`, { token, body: { subscription } })));
  return true;
}

/** Asks the browser, after a tap, and subscribes. @param {import("./storage.js").Pairing[]} pairings */
export async function turnOn(pairings) {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser does not allow it. Change that in its settings for this page.");
  localStorage.setItem(WANTED, "yes");
  if (!(await renewed(pairings)).isOn) throw new Error("Browser or relay did not take it. Try again.");
}

/** @param {import("./storage.js").Pairing[]} pairings */
export async function turnOff(pairings) {
  localStorage.setItem(WANTED, "no");
  const worker = await navigator.serviceWorker.ready;
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  await Promise.allSettled(pairings.map(({ id, token }) => call("DELETE", `/push/${id}`, { token })));
}

/** Takes the notifications away, once nothing waits. */
export async function clearShown() {
  const worker = await navigator.serviceWorker?.getRegistration().catch(() => null);
  for (const one of (await worker?.getNotifications()) ?? []) one.close();
}
