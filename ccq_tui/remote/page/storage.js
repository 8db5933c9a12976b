/**
 * What this device keeps: its pairings and the drafts.
 *
 * @typedef {{id: string, deviceId: string, token: string, key: string, name: string, machine: string}} Pairing
 *   A pairing: the ids of both, this device's token, the key of a sealed one or "", this device's name, and the
 *   machine's as far as it is known.
 */

const PAIRINGS = "ccq.pairings";
const DRAFT = "ccq.draft.";

/** Whether the browser refused to keep something, which then lasts until the page is closed. */
export let isForgetful = false;
/** @type {Map<string, string>} */
const unkept = new Map();

/** @param {string} name */
function read(name) {
  const text = unkept.get(name) ?? localStorage.getItem(name);
  try {
    return text && JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** @param {string} name @param {unknown} value */
function write(name, value) {
  const text = JSON.stringify(value);
  try {
    localStorage.setItem(name, text);
    unkept.delete(name);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    unkept.set(name, text);
    isForgetful = true;
  }
}

/** @returns {Pairing[]} */
export const pairings = () => read(PAIRINGS) ?? [];

/** @param {Pairing} pairing */
export const keepPairing = (pairing) =>
  write(PAIRINGS, [...pairings().filter((one) => one.id !== pairing.id), pairing]);

/** @param {string} id */
export function dropPairing(id) {
  write(
    PAIRINGS,
    pairings().filter((one) => one.id !== id),
  );
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith(`${DRAFT}${id}.`)) localStorage.removeItem(name);
  }
}

/** @param {string} key The request's. */
export const draftOf = (key) => read(DRAFT + key);
/** @param {string} key @param {unknown} draft */
export const keepDraft = (key, draft) => write(DRAFT + key, draft);
/** @param {string} key */
export function dropDraft(key) {
  unkept.delete(DRAFT + key);
  localStorage.removeItem(DRAFT + key);
}

/** Calls back when another page of this browser changed the pairings. @param {() => void} changed */
export const onPairingsElsewhere = (changed) =>
  addEventListener("storage", (event) => void (event.key === PAIRINGS && changed()));
