// SPDX-License-Identifier: Apache-2.0

import { send } from "./api.js";
import { copyButton, el, nameNode, say, setAttr, setName, setText, show, svg } from "./dom.js";
import { countdown, lasted, listed } from "./format.js";

/**
 * What is on, in the words of the top bar.
 *
 * @returns {{state: "on" | "suspended" | "off", name: string, rest: string, traffic: string, rule?: object}}
 */
export function summary({ rules = [], suspended = [] }) {
  const [rule] = rules;
  if (rules.length === 1) {
    return { state: "on", name: rule.profile, rest: `on ${rule.interface}`, traffic: words(rule), rule };
  }
  if (rules.length > 1) {
    const rest = `on ${listed(rules.map((one) => one.interface))}`;
    const names = listed(rules.map((one) => one.profile));
    return { state: "on", name: `${rules.length} rules`, rest, traffic: names, rule: first(rules) };
  }
  if (suspended.length > 0) {
    const name = suspended.length === 1 ? suspended[0].profile : `${suspended.length} rules`;
    const rest = `suspended on ${listed(suspended.map((one) => one.interface))}`;
    return { state: "suspended", name, rest, traffic: "On brings it back" };
  }
  return { state: "off", name: "No conditions", rest: "", traffic: "The network is as it is without linkcond" };
}

const words = (rule) => (rule.everything ? "all traffic" : rule.traffic ?? "");

/** The times of several rules: since the oldest, until the first end. */
function first(rules) {
  const times = (member) => rules.map((rule) => rule[member]).filter((time) => time !== undefined);
  const earliest = (list) => (list.length > 0 ? Math.min(...list) : undefined);
  const by = new Set(rules.map((rule) => rule.by ?? ""));
  return {
    since: earliest(times("since")), until: earliest(times("until")), confirmBy: earliest(times("confirmBy")),
    by: by.size === 1 ? rules[0].by : undefined,
  };
}

/** The bar on top: what is on, where, since and until when, by whom; Off, On and Reset; the tab's title and icon. */
export function mount(bar, bus) {
  const parts = {
    name: nameNode(), rest: el("span", { class: "rest" }), traffic: nameNode(), since: el("span"),
    ends: el("span", { class: "ends" }), by: nameNode(),
  };
  const actions = makeActions(bus);
  bar.replaceChildren(
    el("span", { class: "dot", "aria-hidden": "true" }),
    el("div", { class: "what" },
      el("p", { class: "headline" }, parts.name, " ", parts.rest),
      el("p", { class: "facts" }, parts.traffic, " ", parts.since, " ", parts.ends, " ", parts.by)),
    actions.node);
  let state = {}, offset = 0, told;
  const tick = () => drawTimes(parts, summary(state).rule, Date.now() / 1000 - offset);
  bus.on("live", (live) => {
    state = live;
    offset = Date.now() / 1000 - (live.time ?? Date.now() / 1000);
    const now = summary(live);
    draw(bar, parts, now);
    actions.update(now.state, live.leftovers?.length > 0);
    tick();
    if (told !== undefined && told !== now.state) say(`${now.name} ${now.rest}`);
    told = now.state;
  });
  setInterval(() => { if (!document.hidden) tick(); }, 1000);
}

function draw(bar, parts, now) {
  if (bar.dataset.state !== now.state) {
    bar.dataset.state = now.state;
    bar.className = `bar ${now.state}`;
    setAttr(document.getElementById("icon"), "href", `icon-${now.state}.svg`);
  }
  setName(parts.name, now.name);
  setText(parts.rest, now.rest);
  setAttr(parts.rest, "title", now.rest || null);
  setName(parts.traffic, now.traffic);
  const sign = { on: "● ", suspended: "◌ ", off: "" }[now.state];
  const title = now.state === "off" ? "linkcond" : `${sign}${clip(now.name)} ${now.rest} – linkcond`;
  if (document.title !== title) document.title = title;
}

/** Letters and marks that are written from the right, which would turn the words after them. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/;

/** A name for the tab's title: no longer than a tab shows, and isolated from the words after it. */
function clip(name) {
  const short = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  return RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short;
}

function drawTimes(parts, rule, now) {
  setText(parts.since, rule?.since === undefined ? "" : `for ${lasted(now - rule.since)}`);
  setAttr(parts.since, "title", rule?.since ? `since ${new Date(rule.since * 1000).toLocaleString()}` : null);
  let ends = "";
  if (rule?.confirmBy !== undefined) {
    ends = `ends in ${countdown(rule.confirmBy - now)} unless “linkcond confirm” follows`;
  } else if (rule?.until !== undefined) ends = `ends in ${countdown(rule.until - now)}`;
  else if (rule?.endsWith !== undefined) ends = `ends with process ${rule.endsWith}`;
  else if (rule) ends = "no end";
  setText(parts.ends, ends);
  setName(parts.by, rule?.by ? `by ${rule.by}` : "");
}

/** Off, On and Reset; without the right to change, the line to type. */
function makeActions(bus) {
  const power = el("button", { type: "button", class: "power", id: "power", "aria-keyshortcuts": "o" });
  const label = el("span");
  power.append(
    svg("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" },
      svg("path", { d: "M10 2v8M5.5 5a7 7 0 1 0 9 0" })),
    label, el("kbd", { "aria-hidden": "true" }, "o"));
  const reset = el("button", { type: "button", id: "reset", title: "Remove all conditions, and forget them" }, "Reset");
  const line = el("code");
  const typed = el("span", { class: "line", hidden: true }, line, copyButton(() => line.textContent));
  const node = el("div", { class: "actions" }, typed, power, reset);
  let state = "off";
  let busy = false;
  const run = async (path) => {
    if (busy) return;
    busy = true;
    setAttr(node, "aria-busy", "true");
    await change(bus, path);
    setAttr(node, "aria-busy", null);
    busy = false;
  };
  power.addEventListener("click", () => {
    if (state !== "off") run(state === "on" ? "/v1/off" : "/v1/on");
  });
  reset.addEventListener("click", () => run("/v1/reset"));
  onKey("o", () => { if (!power.hidden) power.click(); });
  return {
    node,
    update(next, leftovers) {
      state = next;
      const may = bus.pane.canChange !== false;
      setText(label, next === "suspended" ? "On" : "Off");
      setAttr(power, "aria-disabled", next === "off" ? "true" : null);
      show(power, may);
      show(reset, may && (next !== "off" || leftovers));
      show(typed, !may && next !== "off");
      setText(line, `sudo linkcond ${next === "suspended" ? "on" : "off"}`);
    },
  };
}

async function change(bus, path) {
  try {
    const answer = await send("POST", path);
    bus.emit("changed", { path, ...answer });
  } catch (error) {
    bus.emit("refused", error);
  }
}

/** Calls for a key pressed alone, outside of fields. */
export function onKey(key, call) {
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]");
    if (event.key !== key || typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    call();
  });
}
