// SPDX-License-Identifier: Apache-2.0

import { FIGURES } from "./draft.js";
import { el, setAttr, setText, show } from "./dom.js";

const ROWS = [
  ["rate", "Rate", "no limit"], ["delay", "Delay", "none"], ["jitter", "Jitter", "none"], ["loss", "Loss", "none"],
  ["queue", "Queue", "usual"], ["more", "More", "nothing"],
];
const COLUMNS = [["downlink", "Down", "↓"], ["uplink", "Up", "↑"]];

/** The figures of the draft in two columns, each a field; what the profile says stands in it until one types. */
export function makeFigures(draft) {
  const cells = new Map();
  const node = el("div", { class: "sheet", role: "group", "aria-label": "Figures" });
  node.append(el("span"), ...COLUMNS.map(([lane, label, sign]) =>
    el("span", { class: `head ${lane}` }, el("span", { class: "sign", "aria-hidden": "true" }, sign), ` ${label}`)));
  const add = (lane, figure, label, hint) => {
    const cell = makeCell(draft, lane, figure, label, hint);
    cells.set(`${lane}.${figure}`, cell);
    return cell.node;
  };
  for (const [figure, label, hint] of ROWS) {
    node.append(el("span", { class: "label", "aria-hidden": "true" }, label),
      ...COLUMNS.map(([lane, column]) => add(lane, figure, `${label}, ${column.toLowerCase()}`, hint)));
  }
  node.append(el("span", { class: "label", "aria-hidden": "true" }, "DNS"),
    add("dns", "delay", "Delay of name queries, in addition", "none"),
    el("span", { class: "label note" }, "more for packets to port 53"));
  return {
    node,
    /** Shows the profile's own figures where nothing is typed. */
    update(base) {
      for (const cell of cells.values()) cell.update(base);
    },
    /** Shows a message at its field, and no other; false if no field is meant. */
    fail(field, message) {
      const cell = cells.get(closest(field, cells));
      for (const each of cells.values()) each.fail(each === cell ? message : "");
      return Boolean(cell);
    },
    focus: () => cells.get("downlink.rate").focus(),
  };
}

/** The cell that a field of the server stands in: "downlink.duplicate" is in "downlink.more". */
function closest(field, cells) {
  if (cells.has(field)) return field;
  const [lane, figure = ""] = (field ?? "").split(".");
  const key = FIGURES.find((each) => figure.startsWith(each));
  if (key && cells.has(`${lane}.${key}`)) return `${lane}.${key}`;
  return cells.has(`${lane}.more`) ? `${lane}.more` : `${lane}.delay`;
}

/** The words of what cannot be written as a figure: bursts of loss, a recording. */
function words(lane = {}, figure) {
  const { rate, trace, ...others } = lane.words ?? {};
  if (figure === "rate") return rate ?? trace;
  if (figure !== "more") return others[figure];
  const rest = Object.entries(others).filter(([key]) => !FIGURES.includes(key));
  return rest.map(([key, text]) => `${key}: ${text}`).join("; ");
}

function makeCell(draft, lane, figure, label, hint) {
  const id = `${lane}-${figure}`;
  const input = el("input", {
    id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: hint, "aria-label": label,
  });
  const error = el("p", { class: "error", id: `${id}-error`, hidden: true });
  const node = el("div", { class: `cell ${lane}` }, input, error);
  let own = "", said = hint;
  const edited = () => draft.values.edits[lane][figure];
  const mark = () => {
    node.classList.toggle("edited", edited() !== undefined);
    setAttr(input, "title", edited() === undefined ? input.value || said : `the profile says: ${own || said}`);
  };
  input.addEventListener("input", () => {
    const value = input.value.trim();
    draft.edit(lane, figure, value === own ? "" : value);
    mark();
  });
  // An empty field is the profile's own figure, and says so as soon as it is left.
  input.addEventListener("blur", () => { if (edited() === undefined) input.value = own; });
  return {
    node,
    focus: () => input.focus(),
    update(base) {
      own = base?.[lane]?.[figure] ?? "";
      said = words(base?.[lane], figure) || hint;
      setAttr(input, "placeholder", said);
      const value = edited() ?? own;
      if (document.activeElement !== input || edited() === undefined && input.value.trim() !== "") {
        if (input.value !== value) input.value = value;
      }
      mark();
    },
    fail(message) {
      show(error, Boolean(message));
      setText(error, message);
      setAttr(input, "aria-invalid", message ? "true" : null);
      setAttr(input, "aria-describedby", message ? error.id : null);
    },
  };
}
