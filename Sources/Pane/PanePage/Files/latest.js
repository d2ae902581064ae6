// SPDX-License-Identifier: Apache-2.0

import { isAbort, Refusal } from "./api.js";

const AGAIN = 2000;

/**
 * Asks for the newest state only: a call waits until typing pauses, gives up the request before it, and is repeated
 * while the server is away.
 *
 * @param {number} delay  milliseconds without another call
 * @param {(signal: AbortSignal) => Promise<object>} ask
 * @param {(answer: object) => void} done
 * @param {(refusal: Refusal) => void} failed
 * @returns {() => void}
 */
export function latest(delay, ask, done, failed) {
  let timer, running;
  async function run() {
    running?.abort();
    const own = new AbortController();
    running = own;
    try {
      const answer = await ask(own.signal);
      if (running === own) done(answer);
    } catch (error) {
      if (running !== own || isAbort(error)) return;
      if (!(error instanceof Refusal)) throw error;
      failed(error);
      if (error.isTransient) timer = setTimeout(run, AGAIN);
    }
  }
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, delay);
  };
}
