/**
 * What this device keeps: its pairings and the drafts.
 *
 * @typedef {{id: string, deviceId: string, token: string, key: string, name: string, machine: string}} Pairing
 *   A pairing: the ids of both, this device's token, "" or where the key of a sealed one is (or the key itself, where
 *   the browser keeps none otherwise), this device's name, and the machine's as far as it is known.
 */

import { SealError, baseKey } from "./seal.js";

const PAIRINGS = "ccq.pairings";
const DRAFT = "ccq.draft.";
const KEYS = "keys";

/** Whether the browser refused to keep something, which then lasts until the page is closed. */
export let isForgetful = false;
/** @type {Map<string, string>} */
const unkept = new Map();

/** @param {string} name */
function read(name) {
  const text = unkept.get(name) ?? localStorage.getItem(name);
  try {
    return text && JSON.parse(text);
  } catch {
    return null;
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

/** The key of a sealed pairing, which moves to where no script can read it, and the pairing is kept. @param {Pairing} pairing */
export async function keyOf(pairing) {
  const { id, key } = pairing;
  if (key === KEYS) return (await inKeys((keys) => keys.get(id))) ?? Promise.reject(new SealError("its key is gone"));
  const made = await baseKey(key);
  const isKept = await inKeys((keys) => keys.put(made, id)).catch(() => null);
  keepPairing(Object.assign(pairing, { key: isKept ? KEYS : key }));
  return made;
}

/** @param {(keys: IDBObjectStore) => IDBRequest} job @returns {Promise<any>} */
async function inKeys(job) {
  const opening = indexedDB.open("ccq");
  opening.onupgradeneeded = () => opening.result.createObjectStore(KEYS);
  const database = await result(opening);
  return result(job(database.transaction(KEYS, "readwrite").objectStore(KEYS))).finally(() => database.close());
}

/** @param {IDBRequest} request @returns {Promise<any>} */
const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {string} id */
export function dropPairing(id) {
  inKeys((keys) => keys.delete(id)).catch(() => null);
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
