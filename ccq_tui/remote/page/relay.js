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
    /** Whether it may have done what it was called for. */
    this.isLate = problem.isLate ?? false;
  }
}

/**
 * Calls an endpoint; throws `RelayError`.
 * @param {string} method
 * @param {string} path
 * @param {{token?: string, body?: object, stop?: AbortController}} [options]
 */
export async function call(method, path, { token, body, stop = new AbortController() } = {}) {
  const options = {
    method,
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { "Content-Type": "application/json" }),
    },
    body: body && JSON.stringify(body),
  };
  const [response, said] = await within(CALL_LIMIT, stop, async () => {
    const got = await fetch(path, { cache: "no-store", ...options, signal: stop.signal });
    return [got, parsed(await got.text())];
  });
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
 * Does something; throws `RelayError` if that fails, is stopped, or lasts longer than a number of milliseconds.
 * @template T
 * @param {number} limit
 * @param {AbortController} stop
 * @param {() => Promise<T>} job
 * @returns {Promise<T>}
 */
async function within(limit, stop, job) {
  const timer = setTimeout(() => stop.abort(), limit);
  try {
    return await job();
  } catch (error) {
    const isLate = stop.signal.aborted;
    throw new RelayError(0, { isLate, detail: `${isLate ? "No answer from" : "No connection to"} the relay.` });
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
 * @param {{opened: () => void, heard: () => void, event: (data: {id: string}) => void}} handlers
 */
export async function follow(pairing, token, stop, handlers) {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const response = await within(CALL_LIMIT, stop, () =>
    fetch(`/events/${pairing}`, { cache: "no-store", headers, signal: stop.signal }),
  );
  if (!response.ok || !response.body) throw new RelayError(response.status);
  handlers.opened();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let rest = ""; ;) {
    const { done, value } = await within(SILENCE_LIMIT, stop, () => reader.read());
    if (done) return;
    handlers.heard();
    const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = block.match(/^data:(.*)$/m);
      if (data) handlers.event(JSON.parse(data[1]));
    }
  }
}
