// SPDX-License-Identifier: Apache-2.0

import { el, setAttr, setText, show } from "./dom.js";
import { split } from "./draft.js";

const PROTOCOLS = ["tcp", "udp", "icmp"];
const LIMITS = [["10m", "10 min"], ["1h", "1 h"], ["", "no end"]];

/** Where the conditions go, which traffic they meet, and when they end. */
export function makeWhere(draft) {
  const fields = new Map();
  const text = (name, label, hint) => {
    const field = makeText(draft, name, label, hint);
    fields.set(name, field);
    return field.node;
  };
  const place = makePlaces(draft);
  fields.set("interface", place).set("container", place);
  const protocol = makeProtocols(draft);
  fields.set("protocol", protocol);
  const limit = text("for", "Time limit", "no end");
  limit.append(makeLimits(draft));
  const more = makeMore(draft, text, fields);
  const node = el("div", { class: "where", role: "group", "aria-label": "Where, which traffic, how long" },
    place.node, limit, text("to", "To", "any host, address or network"), text("port", "Port", "any"),
    protocol.node, text("exclude", "Exclude", "nothing, or: port 22"), more);
  return {
    node,
    update: place.update,
    draw() { for (const field of fields.values()) field.draw?.(); },
    /** Shows a message at its field, and no other; false if no field is meant. */
    fail(name, message) {
      for (const field of fields.values()) field.fail("");
      fields.get(name)?.fail(message);
      if (more.contains(fields.get(name)?.node)) more.open = true;
      return fields.has(name);
    },
  };
}

/** A label, a field and its error. */
function wrap(id, label, input) {
  const error = el("p", { class: "error", id: `${id}-error`, hidden: true });
  const node = el("div", { class: `field ${id}` }, el("label", { for: id }, label), input, error);
  const fail = (message) => {
    show(error, Boolean(message));
    setText(error, message);
    setAttr(input, "aria-invalid", message ? "true" : null);
    setAttr(input, "aria-describedby", message ? error.id : null);
  };
  return { node, fail };
}

function makeText(draft, name, label, hint) {
  const input = el("input", { id: name, type: "text", autocomplete: "off", spellcheck: "false", placeholder: hint });
  input.addEventListener("input", () => draft.set(name, input.value));
  const draw = () => { if (input.value !== draft.values[name]) input.value = draft.values[name]; };
  return { ...wrap(name, label, input), draw };
}

function makeLimits(draft) {
  const buttons = LIMITS.map(([value, label]) => {
    const button = el("button", { type: "button", class: "quiet small" }, label);
    button.addEventListener("click", () => draft.set("for", value));
    return [value, button];
  });
  const draw = () => {
    for (const [value, button] of buttons) setAttr(button, "aria-pressed", String(draft.values.for.trim() === value));
  };
  draft.on(draw);
  draw();
  return el("span", { class: "chips", role: "group", "aria-label": "Usual time limits" },
    buttons.map(([, button]) => button));
}

function makeProtocols(draft) {
  const boxes = PROTOCOLS.map((name) => el("input", { type: "checkbox", id: `protocol-${name}`, value: name }));
  for (const box of boxes) {
    box.addEventListener("change", () => {
      draft.set("protocol", boxes.filter((each) => each.checked).map((each) => each.value));
    });
  }
  const error = el("p", { class: "error", hidden: true });
  const node = el("fieldset", { class: "field protocol" }, el("legend", { class: "label" }, "Protocol"),
    el("div", { class: "boxes" }, boxes.map((box) => el("label", { for: box.id }, box, ` ${box.value}`))), error);
  return {
    node,
    draw() { for (const box of boxes) box.checked = draft.values.protocol.includes(box.value); },
    fail(message) {
      show(error, Boolean(message));
      setText(error, message);
    },
  };
}

/** Interfaces and containers; one that has gone stays until another is chosen, and says so. */
function makePlaces(draft) {
  const select = el("select", { id: "place" });
  let drawn = "";
  const draw = () => { if (select.value !== draft.values.where) select.value = draft.values.where; };
  select.addEventListener("change", () => draft.set("where", select.value));
  return {
    ...wrap("place", "Where", select), draw,
    update({ interfaces = [], containers = [] }) {
      const groups = [
        ["Interfaces", interfaces.map((one) => [`interface:${one.name}`, describe(one)])],
        ["Containers", containers.map((one) => [`container:${one.name}`, cut(one.name)])],
      ].filter(([, options]) => options.length > 0);
      const where = draft.values.where;
      if (where && !groups.some(([, options]) => options.some(([value]) => value === where))) {
        groups.push(["Gone", [[where, `${cut(split(where)[1])} (gone)`]]]);
      }
      const now = JSON.stringify(groups);
      if (now === drawn) return;
      drawn = now;
      select.replaceChildren(...groups.map(([label, options]) => el("optgroup", { label },
        options.map(([value, words]) => el("option", { value, dir: "auto" }, words)))));
      draw();
    },
  };
}

const cut = (name) => (name.length > 60 ? `${name.slice(0, 59)}…` : name);

function describe({ name, up, addresses = [], loopback, login }) {
  const facts = [addresses[0]?.replace(/\/\d+$/, ""), !up && "down", loopback && "this machine",
    login && "your login"].filter(Boolean);
  return facts.length > 0 ? `${name} – ${facts.join(", ")}` : name;
}

/** What is rarely needed. */
function makeMore(draft, text, fields) {
  const engine = el("select", { id: "engine" },
    ["auto", "netem", "userspace"].map((name) => el("option", { value: name }, name)));
  engine.addEventListener("change", () => draft.set("engine", engine.value));
  fields.set("engine", { ...wrap("engine", "Engine", engine), draw: () => { engine.value = draft.values.engine; } });
  const keep = el("input", { type: "checkbox", id: "keep" });
  keep.addEventListener("change", () => draft.set("keepSSH", keep.checked));
  const label = el("label", { for: "keep", class: "keep" }, keep, " leave out my own SSH connection");
  const error = el("p", { class: "error", hidden: true });
  fields.set("keepSSH", {
    node: label,
    draw: () => { keep.checked = draft.values.keepSSH; },
    fail(message) {
      show(error, Boolean(message));
      setText(error, message);
    },
  });
  return el("details", { class: "more" }, el("summary", {}, "More"),
    el("div", { class: "where" }, text("confirm", "Undo unless confirmed within", "not asked"),
      fields.get("engine").node, el("div", { class: "field" }, label, error)));
}
