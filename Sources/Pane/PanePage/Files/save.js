// SPDX-License-Identifier: Apache-2.0

import { send } from "./api.js";
import { el, say, setAttr, setText, show } from "./dom.js";

/** Saves the chosen profile with its edits as one of one's own: a name, and the command line's own errors at it. */
export function makeSave(draft, saved) {
  const open = el("button", { type: "button", class: "quiet small", "aria-expanded": "false" }, "Save as my own…");
  const name = el("input", {
    id: "own-name", type: "text", placeholder: "Name", autocomplete: "off", "aria-label": "Name of the new profile",
  });
  const error = el("p", { class: "error", id: "own-name-error", hidden: true });
  const save = el("button", { type: "submit", class: "primary" }, "Save");
  const cancel = el("button", { type: "button", class: "quiet" }, "Cancel");
  const form = el("form", { class: "save", hidden: true, "aria-label": "Save as my own" },
    el("div", { class: "row" }, name, save, cancel), error);

  function toggle(shown) {
    show(form, shown);
    fail("");
    setAttr(open, "aria-expanded", String(shown));
    (shown ? name : open).focus();
  }
  function fail(message) {
    show(error, Boolean(message));
    setText(error, message);
    setAttr(name, "aria-invalid", message ? "true" : null);
    setAttr(name, "aria-describedby", message ? error.id : null);
  }
  open.addEventListener("click", () => toggle(form.hidden));
  cancel.addEventListener("click", () => toggle(false));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === "Escape") event.stopPropagation();
    if (event.key === "Escape") toggle(false);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    save.disabled = true;
    try {
      await send("POST", "/v1/profiles", { name: name.value.trim(), from: draft.profile || undefined, ...draft.link });
      say(`Saved ${name.value.trim()}`);
      saved(name.value.trim());
      name.value = "";
      toggle(false);
    } catch (refusal) {
      fail(refusal.message);
      name.focus();
    } finally {
      save.disabled = false;
    }
  });
  return { open, form };
}
