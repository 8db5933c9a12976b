/**
 * End-to-end encryption of what passes the relay, as `ccq_tui/remote/seal.py` does it; the rules are in
 * `docs/dev/relay-protocol.md`.
 *
 * @typedef {"request" | "answer" | "statement" | "name"} Kind
 * @typedef {{kind: Kind, id: string, expires?: string, request?: string}} About What an envelope is bound to.
 */

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const INVITATION_LETTERS = 4;
const SECRET_LETTERS = 12;
const PLAIN_LETTER = "P";
const CODE_ROUNDS = 600_000;

const toBytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** An envelope does not open: it is damaged, or for something else. */
export class SealError extends Error {}

/** Whether this browser can seal here: it can on HTTPS and on this machine alone. */
export const canSeal = () => Boolean(globalThis.crypto?.subtle);

/** @param {Uint8Array} data */
export function toBase64(data) {
  const letters = Array.from(data, (code) => String.fromCharCode(code)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text */
export function fromBase64(text) {
  if (!/^[\w-]*$/.test(text)) throw new SealError("it is not base64url");
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  } catch (error) {
    throw new SealError("it is not base64url", { cause: error });
  }
}

/** @param {string} text */
async function sha256(text) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", toBytes(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A pairing's key, which can be used and not be read. @param {string} text In base64url. */
export const baseKey = (text) => crypto.subtle.importKey("raw", fromBase64(text), "HKDF", false, ["deriveKey"]);

/** Seals and opens the texts of one pairing. */
export class Sealer {
  /** @param {Promise<CryptoKey>} key @param {string} pairing The pairing's id. */
  constructor(key, pairing) {
    this.pairing = pairing;
    this.key = key;
    /** @type {Map<Kind, Promise<CryptoKey>>} */
    this.derived = new Map();
  }

  /**
   * @param {object} content
   * @param {About} about
   */
  async seal(content, about) {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const algorithm = { name: "AES-GCM", iv: nonce, additionalData: await this.#bound(about) };
    const plain = toBytes(JSON.stringify(content));
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, await this.#keyOf(about.kind), plain));
    return toBase64(Uint8Array.of(VERSION, ...nonce, ...sealed));
  }

  /**
   * Returns the JSON object of an envelope; throws `SealError`.
   * @param {string} envelope
   * @param {About} about
   * @returns {Promise<any>}
   */
  async open(envelope, about) {
    const plain = await opened(await this.#keyOf(about.kind), envelope, await this.#bound(about));
    try {
      const content = JSON.parse(new TextDecoder().decode(plain));
      if (content && typeof content === "object" && !Array.isArray(content)) return content;
    } catch (error) {
      throw new SealError("it holds no JSON", { cause: error });
    }
    throw new SealError("it holds no JSON object");
  }

  /** @param {Kind} kind */
  #keyOf(kind) {
    if (!this.derived.has(kind)) this.derived.set(kind, this.#derive(kind));
    return /** @type {Promise<CryptoKey>} */ (this.derived.get(kind));
  }

  /** @param {Kind} kind */
  async #derive(kind) {
    const info = toBytes(`ccq-tui ${VERSION} ${kind}`);
    const how = { name: "HKDF", hash: "SHA-256", salt: toBytes(this.pairing), info };
    return crypto.subtle.deriveKey(how, await this.key, { name: "AES-GCM", length: 256 }, false, [
      "encrypt",
      "decrypt",
    ]);
  }

  /** @param {About} about */
  async #bound({ kind, id, expires = "", request = "" }) {
    const digest = request && (await sha256(request));
    return toBytes([`ccq-tui ${VERSION}`, this.pairing, id, kind, expires, digest].join("\n"));
  }
}

/**
 * The parts of a typed code, or null if it is none.
 * @param {string} typed
 */
export function codeParts(typed) {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const known = [...letters].every((letter) => CODE_LETTERS.includes(letter));
  if (!known || letters.length !== INVITATION_LETTERS + SECRET_LETTERS) return null;
  const [invitation, secret] = [letters.slice(0, INVITATION_LETTERS), letters.slice(INVITATION_LETTERS)];
  return { invitation, secret, isPlain: letters.startsWith(PLAIN_LETTER) };
}

/**
 * The proof of a code in a sealed pairing, and what unwraps the pairing's key.
 * @param {{invitation: string, secret: string}} code
 */
export async function stretched({ invitation, secret }) {
  const salt = toBytes(`ccq-tui code ${invitation}`);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations: CODE_ROUNDS };
  const base = await crypto.subtle.importKey("raw", toBytes(secret), "PBKDF2", false, ["deriveBits"]);
  const bits = new Uint8Array(await crypto.subtle.deriveBits(how, base, 512));
  return { proof: toBase64(bits.slice(0, 32)), wrapping: bits.slice(32) };
}

/**
 * Returns the pairing's key in base64url; throws `SealError`.
 * @param {string} wrapped
 * @param {Uint8Array} wrapping
 * @param {string} invitation
 */
export async function unwrapKey(wrapped, wrapping, invitation) {
  const key = await crypto.subtle.importKey("raw", wrapping, "AES-GCM", false, ["decrypt"]);
  return toBase64(new Uint8Array(await opened(key, wrapped, toBytes(`ccq-tui wrapped ${invitation}`))));
}

/**
 * @param {CryptoKey} key
 * @param {string} envelope
 * @param {Uint8Array} bound
 */
async function opened(key, envelope, bound) {
  const data = fromBase64(envelope);
  if (data.length < 1 + NONCE_BYTES + TAG_BYTES || data[0] !== VERSION) {
    throw new SealError("its format is not known");
  }
  const algorithm = { name: "AES-GCM", iv: data.slice(1, 1 + NONCE_BYTES), additionalData: bound };
  try {
    return await crypto.subtle.decrypt(algorithm, key, data.slice(1 + NONCE_BYTES));
  } catch (error) {
    throw new SealError("it was changed, or is not for this request and pairing", { cause: error });
  }
}
