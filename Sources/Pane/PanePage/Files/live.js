// SPDX-License-Identifier: Apache-2.0

import { send } from "./api.js";
import { el, keyed, nameNode, setAttr, setName, setText, show } from "./dom.js";
import { clock, counted } from "./format.js";
import { inOrder, laneRates, lanesDiffer, makeLane } from "./lane.js";

/** Beyond this many rules, those after the first ones start folded. */
const UNFOLDED = 3;

/** The rules, most specific first: whom each met, and what each lane does beside what was asked of it. */
export function mount(section, bus) {
  const heading = el("h2", {}, "Live");
  const count = el("p", { class: "muted small" });
  const empty = el("p", { class: "empty", hidden: true });
  const left = el("p", { class: "alarm", hidden: true });
  const list = el("div", { class: "rules" });
  section.append(el("div", { class: "heading" }, heading, count), left, empty, list);
  const cards = new WeakMap();
  bus.on("live", (state) => {
    const rules = state.rules ?? [];
    setText(count, rules.length > 1 ? `${rules.length} rules, most specific first` : "");
    setText(empty, rules.length > 0 ? "" : nothing(bus.pane, state));
    show(empty, rules.length === 0);
    drawLeftovers(left, state.leftovers ?? []);
    const before = new Set(list.children);
    const make = (rule) => {
      const card = makeRule(rule, bus, list.children.length < UNFOLDED);
      cards.set(card.node, card);
      return card.node;
    };
    keyed(list, rules, (rule) => rule.id, make, (node, rule) => {
      before.delete(node);
      cards.get(node).update(rule);
    });
    for (const node of before) cards.get(node).end();
  });
}

/** What to do where there is nothing to see. */
function nothing(pane, state) {
  if (state.problem?.rulesUnknown) return "Which conditions are on could not be read.";
  if ((state.suspended ?? []).length > 0) return "Conditions are suspended: On brings them back, and their lanes here.";
  if (pane.canChange === false) return "No conditions are on. When some are, their lanes are shown here.";
  return "No conditions are on. Choose a profile and apply it: its lanes appear here, measured beside asked.";
}

function drawLeftovers(node, names) {
  setText(node, `▲ A command that was killed has left ${names.join(", ")}. Reset removes what is left.`);
  show(node, names.length > 0);
}

function makeRule(first, bus, open) {
  const parts = {
    profile: nameNode("", "which"), where: el("span", { class: "device" }), traffic: nameNode("", "traffic"),
    packets: el("span", { class: "packets" }), differs: el("span", { class: "mark bad" }),
    rates: el("span", { class: "rates" }),
    warnings: el("ul", { class: "alarms" }), lanes: el("div", { class: "lanes" }),
    faults: el("ul", { class: "faults" }), facts: nameNode("", "muted small"),
  };
  const refused = el("p", { class: "error", role: "alert", hidden: true });
  const remove = el("button", { type: "button", class: "quiet small" }, "Remove");
  remove.addEventListener("click", () => removeRule(first, remove, refused));
  show(remove, bus.pane.canChange !== false && bus.pane.place === "host");
  setAttr(remove, "aria-label", `Remove rule ${first.rule} of ${first.interface}`);
  const node = el("details", { class: "ruleCard", open },
    el("summary", {}, el("span", { class: "title" }, parts.profile, parts.where), parts.packets,
      el("span", { class: "met" }, parts.traffic, parts.differs, parts.rates)),
    parts.warnings, parts.lanes, parts.faults, el("div", { class: "foot" }, parts.facts, remove), refused);
  const lanes = new Map();
  let last = { lanes: [] };
  const drawBody = () => { if (node.open) drawLanes(parts.lanes, lanes, last.lanes); };
  node.addEventListener("toggle", drawBody);
  return {
    node,
    update(rule) {
      last = { ...rule, lanes: inOrder(rule.lanes ?? []) };
      drawRule(parts, last);
      drawBody();
    },
    end() { for (const lane of lanes.values()) lane.end(); },
  };
}

function drawRule(parts, rule) {
  setName(parts.profile, rule.profile ?? "unknown conditions");
  setText(parts.where, `${rule.interface} rule ${rule.rule}`);
  setName(parts.traffic, rule.everything ? "all traffic" : rule.trafficWords ?? rule.traffic ?? "");
  setText(parts.packets, counted(rule.packets ?? 0, "packet"));
  const differing = lanesDiffer(rule.lanes);
  setText(parts.differs, differing[0] ?? "");
  setAttr(parts.differs, "title", differing.length > 1 ? differing.join(", ") : null);
  setText(parts.rates, laneRates(rule.lanes));
  setName(parts.facts, facts(rule));
  keyed(parts.warnings, rule.warnings ?? [], (text) => text, makeWarning, () => {});
  keyed(parts.faults, rule.faults ?? [], ({ fault }) => fault, makeFault, drawFault);
}

function facts({ engine, since, until, confirmBy, by, endsWith, facing }) {
  return [
    engine && `${engine} engine`, since && `since ${clock(since)}`, until && `until ${clock(until)}`,
    confirmBy && `until ${clock(confirmBy)} unless confirmed`, facing === "peer" && "facing the peer",
    endsWith && `ends with process ${endsWith}`, by && `by ${by}`,
  ].filter(Boolean).join(", ");
}

const makeWarning = (text) => el("li", { class: "alarm" }, `▲ ${text}`);

const makeFault = ({ fault }) => el("li", {}, nameNode(fault), el("span", { class: "packets" }));

function drawFault(node, { packets = 0 }) {
  setText(node.lastChild, packets === 0 ? "met no packet yet" : `met ${counted(packets, "packet")}`);
}

function drawLanes(parent, known, lanes) {
  const make = ({ lane }) => {
    known.set(lane, makeLane(lane));
    return known.get(lane).node;
  };
  keyed(parent, lanes, ({ lane }) => lane, make, (node, lane) => known.get(lane.lane).update(lane));
  for (const [name, view] of known) {
    if (view.node.parentNode !== parent) { view.end(); known.delete(name); }
  }
}

async function removeRule({ interface: device, rule }, button, refused) {
  button.disabled = true;
  show(refused, false);
  try {
    await send("DELETE", `/v1/rules?${new URLSearchParams({ interface: device, rule })}`);
  } catch (error) {
    setText(refused, error.message);
    show(refused, true);
  } finally {
    button.disabled = false;
  }
}
