/** Pairs this device by a link or a typed code, and ends a pairing. */

import { RelayError, call } from "./relay.js";
import { Sealer, canSeal, codeParts, stretched, unwrapKey } from "./seal.js";
import { dropPairing, keepPairing, keyOf } from "./storage.js";

/** @typedef {{version: string, invitation: string, proof: string, key: string}} Link */

const LENGTHS = { invitation: /^\w{4}$/, proof: /^[\w-]{22}$/, key: /^([\w-]{43})?$/ };

/** A pairing that cannot be made; the message says what to do. */
export class PairingError extends Error {}

/**
 * The invitation of a link's fragment, or null if it is none.
 * @param {string} fragment
 * @returns {Link | null}
 */
export function linkOf(fragment) {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const [version = "", invitation = "", proof = "", key = ""] = ["v", "i", "s", "k"].map((name) => fields.get(name) ?? "");
  return version ? { version, invitation, proof, key } : null;
}

/** Why a link pairs nothing, as is seen before anything is sent, or "". @param {Link} link */
export function problemOf(link) {
  if (link.version !== "1") return "This page is older than the link. Reload it, then open the link again.";
  const isWhole = Object.entries(LENGTHS).every(([name, whole]) => whole.test(link[name]));
  return isWhole ? "" : "This link is not whole. Copy all of it, scan its QR code, or type the code beside it.";
}

/** @param {Link} link @param {string} name */
export async function pairByLink(link, name) {
  if (link.key && !canSeal()) {
    throw new PairingError("This pairing is encrypted, which a browser can do on HTTPS alone. Open the HTTPS link.");
  }
  const { invitation } = link;
  const made = await redeemed(invitation, link.proof, link.key ? "" : name);
  if ((made.mode === "sealed") !== Boolean(link.key))
    throw new PairingError("This link does not fit its pairing. Ask for a new one.");
  return kept(made, { invitation, key: link.key, name });
}

/** Pairs by a typed code, which says itself whether its secret may be sent as the proof. @param {string} typed @param {string} name */
export async function pairByCode(typed, name) {
  const code = codeParts(typed);
  if (!code)
    throw new PairingError("A code has 16 letters and digits, like AB12-CD34-EF56-GH78. Check what you typed.");
  const { invitation, secret, isPlain } = code;
  if (isPlain) return kept(await redeemed(invitation, secret, name), { invitation, key: "", name });
  if (!canSeal()) throw new PairingError("Encryption needs HTTPS. Open this page by its HTTPS address, then pair.");
  const { proof, wrapping } = await stretched(code);
  const made = await redeemed(invitation, proof, "");
  return kept(made, { invitation, key: await unwrapKey(made.wrapped, wrapping, invitation), name });
}

/** Ends a pairing here, and at the relay if that can be reached. @param {import("./storage.js").Pairing} pairing */
export async function forget({ id, deviceId, token }) {
  await attempt(call("DELETE", `/devices/${id}/${deviceId}`, { token }));
  dropPairing(id);
}

/** @param {Promise<any>} called */
const attempt = (called) =>
  called.catch((error) => {
    if (!(error instanceof RelayError)) throw error;
  });

/** A name for this device that its owner knows. */
export async function suggestedName() {
  const agent = navigator.userAgent;
  const hints = await navigator.userAgentData?.getHighEntropyValues?.(["model"]).catch(() => null);
  if (hints?.model) return hints.model;
  const kinds = {
    iPhone: "iPhone",
    iPad: "iPad",
    Android: "Android phone",
    Macintosh: "Mac",
    Windows: "Windows PC",
    CrOS: "Chromebook",
    Linux: "Linux computer",
  };
  return Object.entries(kinds).find(([sign]) => agent.includes(sign))?.[1] ?? "My device";
}

/** @param {string} invitation @param {string} proof @param {string} name */
async function redeemed(invitation, proof, name) {
  try {
    return await call("POST", "/pair", { body: { invitation, proof, name } });
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    const reasons = {
      403: "This code is not the right one. Check what you typed.",
      404: "This invitation is used up or older than 5 minutes. Ask for a new one at the terminal.",
      429: `Too many tries. Wait ${error.wait || 60} s, then try again.`,
    };
    throw new PairingError(reasons[error.status] ?? error.message, { cause: error });
  }
}

/**
 * @param {any} made The relay's answer.
 * @param {{invitation: string, key: string, name: string}} known
 */
async function kept({ pairingId, deviceId, token }, { invitation, key, name }) {
  const pairing = { id: pairingId, deviceId, token, key, name, machine: "" };
  if (!key) return keepPairing(pairing);
  const sealed = await new Sealer(keyOf(pairing), pairingId).seal({ name }, { kind: "name", id: invitation });
  // If it does not reach the relay: its answers carry the name too.
  await attempt(call("PUT", `/devices/${pairingId}/${deviceId}`, { token, body: { name: sealed } }));
}
