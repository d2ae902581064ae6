// SPDX-License-Identifier: Apache-2.0

/** An answer that is not a success; `kind` and `field` as the API names them. */
export class Refusal extends Error {
  constructor(status, body) {
    super(body?.error ?? `the server answered ${status}`);
    this.status = status;
    this.kind = body?.kind ?? "";
    this.field = body?.field ?? "";
    /** What to type instead, if the command line knows something. */
    this.remedy = body?.try ?? "";
  }

  /** True if the same request may succeed later. */
  get isTransient() { return this.status === 0 || this.status >= 500; }
}

/** True for the error of a request that its own caller has given up. */
export const isAbort = (error) => error?.name === "AbortError";

async function request(method, path, body, signal) {
  const options = { method, signal, headers: {}, credentials: "same-origin", cache: "no-store" };
  if (method !== "GET") {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body ?? {});
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Refusal(0, { error: "linkcond does not answer", kind: "gone" });
  }
  const answer = await response.json().catch((error) => {
    if (isAbort(error)) throw error;
    return null;
  });
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

/** Reads: `get("/v1/profiles")`, `get("/v1/preview", {profile: "3G"})`; throws a Refusal. */
export function get(path, query = {}, signal) {
  const known = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const words = new URLSearchParams(known).toString();
  return request("GET", words ? `${path}?${words}` : path, undefined, signal);
}

/** Changes: `send("POST", "/v1/off", {})`; throws a Refusal. */
export const send = (method, path, body, signal) => request(method, path, body, signal);

/** The milliseconds between two requests of a hidden tab. */
const IN_BACKGROUND = 1000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Waits until the tab is visible, at most this long: its title and icon are seen in the background too. */
function visible(atMost) {
  if (!document.hidden) return Promise.resolve();
  return Promise.race([
    new Promise((done) => document.addEventListener("visibilitychange", done, { once: true })), pause(atMost),
  ]);
}

/** The wait before the attempt after this many failures. */
const wait = (failures) => Math.min(5000, 500 * 2 ** failures);

/**
 * Follows the live state: one request at a time, few while the tab is hidden, and again after every error.
 *
 * @param {(state: object) => void} changed
 * @param {(problem: Refusal | null, again: number) => void} failed  with the milliseconds until the next attempt
 */
export async function follow(changed, failed) {
  let number, failures = 0;
  for (;;) {
    await visible(IN_BACKGROUND);
    try {
      const state = await get("/v1/live", { after: number }, AbortSignal.timeout(5000));
      if (failures > 0) failed(null, 0);
      failures = 0;
      if (state.number !== number) changed(state);
      number = state.number;
      // The server waits for news; a broken one that does not must not make the page spin.
      await pause(50);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal(0, { error: "linkcond does not answer" });
      failed(refusal, wait(failures));
      await pause(wait(failures));
      failures += 1;
    }
  }
}

/** Calls until it succeeds; for what the page cannot be without. */
export async function persist(call, failed) {
  for (let failures = 0; ; failures += 1) {
    try {
      const answer = await call();
      if (failures > 0) failed(null, 0);
      return answer;
    } catch (error) {
      failed(error, wait(failures));
      await pause(wait(failures));
    }
  }
}
