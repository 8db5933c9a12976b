/** Notifications by Web Push, where browser and relay have it; a subscription holds for all pairings. */

import { RelayError, call } from "./relay.js";

const OFF = "ccq.push-offered";

export const canPush = () =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/** Whether to offer notifications with the list. */
export const isOffered = () => canPush() && Notification.permission === "default" && !localStorage.getItem(OFF);
export const stopOffering = () => localStorage.setItem(OFF, "1");

/** The relay's key, or "" where it sends none now. @param {import("./storage.js").Pairing} pairing */
export async function pushKey({ id, token }) {
  try {
    return canPush() ? (await call("GET", `/push/${id}`, { token })).key : "";
  } catch (error) {
    if (error instanceof RelayError) return "";
    throw error;
  }
}

/** Whether this device gets notifications. */
export async function isSubscribed() {
  const worker = canPush() && (await navigator.serviceWorker.getRegistration());
  return Boolean(worker && (await worker.pushManager.getSubscription()));
}

/** Asks the browser, after a tap, and subscribes. @param {import("./storage.js").Pairing[]} pairings @param {string} key */
export async function subscribe(pairings, key) {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("The browser does not allow it. Change that in its settings for this page.");
  const worker = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const subscription = (await worker.pushManager.subscribe(options)).toJSON();
  await Promise.all(pairings.map(({ id, token }) => call("POST", `/push/${id}`, { token, body: { subscription } })));
}

/** @param {import("./storage.js").Pairing[]} pairings */
export async function unsubscribe(pairings) {
  const worker = await navigator.serviceWorker.ready;
  await (await worker.pushManager.getSubscription())?.unsubscribe();
  await Promise.all(pairings.map(({ id, token }) => call("DELETE", `/push/${id}`, { token })));
}
