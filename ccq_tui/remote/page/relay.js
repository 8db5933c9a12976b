/** The relay over HTTP, as one device of one pairing. */

const CALL_LIMIT = 20_000;
const SILENCE_LIMIT = 25_000;

/** The relay refused a call, or cannot be reached; `status` is 0 then. */
export class RelayError extends Error {
  /**
   * @param {number} status
   * @param {any} [problem] The problem document.
   * @param {number} [wait] Seconds after which to try again.
   */
  constructor(status, problem = {}, wait = 0) {
    super(
      problem.detail || problem.title || (status ? `The relay answered ${status}.` : "No connection to the relay."),
    );
    this.status = status;
    this.wait = wait;
    this.winner = problem.winner ?? null;
  }
}

/**
 * Calls an endpoint; throws `RelayError`.
 * @param {string} method
 * @param {string} path
 * @param {{token?: string, body?: object}} [options]
 */
export async function call(method, path, { token, body } = {}) {
  const options = {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { "Content-Type": "application/json" }),
    },
    body: body && JSON.stringify(body),
  };
  const whole = async (/** @type {Response} */ response) => [response, parsed(await response.text())];
  const [response, said] = await reached(path, CALL_LIMIT, options, new AbortController(), whole);
  if (!response.ok) throw new RelayError(response.status, said ?? {}, Number(response.headers.get("Retry-After")) || 0);
  if (!said) throw new RelayError(0, { detail: "What answers there is no relay." });
  return said;
}

/** The object of a body, or null for what is none. @param {string} text */
function parsed(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @param {number} limit Milliseconds until there must be an answer, read as far as `read` does.
 * @param {RequestInit} options
 * @param {AbortController} stop
 * @param {(response: Response) => any} read
 */
async function reached(path, limit, options, stop, read = (response) => response) {
  const timer = setTimeout(() => stop.abort(), limit);
  try {
    return await read(await fetch(path, { cache: "no-store", ...options, signal: stop.signal }));
  } catch (error) {
    throw new RelayError(0, {
      detail: String(stop.signal.aborted ? "The relay does not answer." : "No connection to the relay."),
    });
  } finally {
    clearTimeout(timer);
  }
}

/** Whether this browser can read an answer while it arrives. */
export const canStream = () => typeof ReadableStream === "function" && "body" in Response.prototype;

/**
 * Follows the events of a pairing until they end; throws `RelayError` when there are none, or silence.
 * @param {string} pairing
 * @param {string} token
 * @param {AbortController} stop
 * @param {{opened: () => void, event: (data: {id: string}) => void}} handlers
 */
export async function follow(pairing, token, stop, handlers) {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const response = await reached(`/events/${pairing}`, CALL_LIMIT, { headers }, stop);
  if (!response.ok || !response.body) throw new RelayError(response.status);
  handlers.opened();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let rest = ""; ;) {
    const { done, value } = await within(SILENCE_LIMIT, reader.read(), stop);
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = fieldOf(block, "data");
      if (data) handlers.event(JSON.parse(data));
    }
  }
}

/** @param {string} block @param {string} name */
const fieldOf = (block, name) =>
  block
    .split("\n")
    .find((line) => line.startsWith(`${name}:`))
    ?.slice(name.length + 1)
    .trim() ?? "";

/**
 * @template T
 * @param {number} limit
 * @param {Promise<T>} promise
 * @param {AbortController} stop
 * @returns {Promise<T>}
 */
async function within(limit, promise, stop) {
  const timer = setTimeout(() => stop.abort(), limit);
  try {
    return await promise;
  } catch (error) {
    throw new RelayError(0, { detail: "The events stopped." });
  } finally {
    clearTimeout(timer);
  }
}
