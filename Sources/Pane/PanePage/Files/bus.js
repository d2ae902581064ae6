// SPDX-License-Identifier: Apache-2.0

/**
 * The page's modules know each other by events only.
 *
 * - `live`: the newest answer of GET /v1/live, at most ten times a second.
 * - `problem`: an error of the connection to the server, null when it answers again.
 * - `pick`: traffic for the next rule: {interface?, to?, port?, protocol?, exclude?, profile?, fault?}; with `fault`
 *   true, the profiles that have faults are offered.
 * - `profiles`: the profiles have changed on disk.
 * - `changed`: the answer of a command that has been run; `refused`: the Refusal of one.
 *
 * @typedef {{on: Function, emit: Function, pane: object, live: object | null}} Bus
 * @returns {Bus}
 */
export function makeBus() {
  const listeners = new Map();
  return {
    /** The answer of GET /v1/pane. */
    pane: {},
    /** The newest live state; null before the first. */
    live: null,
    on(name, listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
    },
    emit(name, value) {
      if (name === "live") this.live = value;
      for (const listener of listeners.get(name) ?? []) listener(value);
    },
  };
}
