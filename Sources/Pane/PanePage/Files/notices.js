// SPDX-License-Identifier: Apache-2.0

import { el, setText, show } from "./dom.js";
import { listed } from "./format.js";

/** What a refusal means for the reader of the page. */
function words({ error, again }) {
  if (error.status === 401 || error.status === 403) {
    return "This page may no longer ask linkcond. Open the address that linkcond pane has printed.";
  }
  const next = again >= 1000 ? `Next attempt in ${Math.round(again / 1000)} s` : "Trying again";
  if (error.status === 0) return `linkcond does not answer: what you see may be old. ${next}; your changes are kept.`;
  return `${error.message}. ${next}; your changes are kept.`;
}

/** A command of the top bar or of a rule that was refused: its message stays until it is closed, or one succeeds. */
function makeRefused(bus) {
  const words = el("span");
  const close = el("button", { type: "button", class: "quiet small" }, "Close");
  const node = el("div", { class: "notice bad row", role: "alert", hidden: true }, words, close);
  close.addEventListener("click", () => show(node, false));
  bus.on("changed", () => show(node, false));
  bus.on("refused", (error) => {
    setText(words, error.message);
    show(node, true);
  });
  return node;
}

/** Bars below the top bar: the server is gone, a command was refused, the network cannot be read. */
export function mount(section, bus) {
  const gone = el("p", { class: "notice bad", role: "alert", hidden: true });
  const unread = el("p", { class: "notice bad", role: "alert", hidden: true });
  const left = el("p", { class: "notice", hidden: true });
  section.append(gone, makeRefused(bus), unread, left);
  bus.on("problem", (problem) => {
    show(gone, Boolean(problem));
    if (problem) setText(gone, words(problem));
    document.body.classList.toggle("stale", Boolean(problem));
  });
  bus.on("live", (state) => {
    show(unread, Boolean(state.problem));
    const devices = state.leftovers ?? [];
    show(left, devices.length > 0);
    setText(left, `Left behind by an interrupted command: ${listed(devices)}. Reset removes them.`);
    if (state.problem) setText(unread, `The network's state could not be read: ${state.problem.error}`);
  });
}
