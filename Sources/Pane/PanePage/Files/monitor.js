// SPDX-License-Identifier: Apache-2.0

import { get, send } from "./api.js";
import { strip } from "./chart.js";
import { el, keyed, nameNode, setAttr, setName, setText, show } from "./dom.js";
import { clock, share, time } from "./format.js";
import { unwatch, watch, whileSeen } from "./plot.js";

const STATES = {
  up: { shape: "●", word: "reachable", kind: "good" },
  down: { shape: "■", word: "unreachable", kind: "bad" },
  unknown: { shape: "?", word: "unknown", kind: "doubt" },
};

/** The milliseconds between two questions: the monitor itself probes no more often. */
const INTERVAL = 1000;

/** What the monitor watches: each target's state with its reason, and the list of targets, which can be changed. */
export function mount(section, bus) {
  const list = el("ul", { class: "targets" });
  const empty = el("p", { class: "empty", hidden: true });
  const form = makeForm();
  section.append(el("h2", {}, "Monitor"), empty, list, form.node);
  setText(empty, "No target is watched. Watch what must stay reachable, such as https://example.org.");
  const strips = new WeakMap();
  let targets = [], isSeen = false, next = 0;

  function draw(answer) {
    const before = new Set(list.children);
    targets = answer.targets ?? [];
    keyed(list, targets, ({ target }) => target, (item) => makeTarget(item, strips, remove), (node, item) => {
      before.delete(node);
      drawTarget(node, strips.get(node), item);
    });
    for (const node of before) unwatch(node);
    show(empty, targets.length === 0);
  }

  async function renew() {
    if (!isSeen || performance.now() < next) return;
    next = Infinity;
    try {
      draw(await get("/v1/monitor"));
      form.fail(null, "state");
    } catch (error) {
      // A network without a monitor has no section for it.
      if (error.status === 404) return show(section, false);
      form.fail(error, "state");
    }
    next = performance.now() + INTERVAL;
  }

  async function put(names) {
    form.fail(null, "change");
    try {
      const answer = await send("PUT", "/v1/monitor", { targets: names });
      if (answer?.targets) draw(answer);
      next = 0;
      return true;
    } catch (error) {
      form.fail(error, "change");
      return false;
    }
  }

  const remove = (target) => put(targets.map((each) => each.target).filter((each) => each !== target));
  form.node.addEventListener("submit", async (event) => {
    event.preventDefault();
    const name = form.field.value.trim();
    const names = targets.map((each) => each.target);
    if (name !== "" && await put([...names.filter((each) => each !== name), name])) form.field.value = "";
  });
  whileSeen(section, (seen) => { isSeen = seen; });
  bus.on("live", () => { renew(); });
}

function makeForm() {
  const field = el("input", {
    type: "text", id: "target", "aria-label": "Target to watch", placeholder: "https://example.org",
    autocomplete: "off", spellcheck: "false", autocapitalize: "off", "aria-describedby": "targetError",
  });
  const error = el("p", { class: "error", id: "targetError", role: "status" });
  const problems = {};
  return {
    field,
    node: el("form", { class: "inline" }, field, el("button", { type: "submit" }, "Watch"), error),
    /** Shows the newest problem with the state or with a change; that with a change stays until the next change. */
    fail(problem, about) {
      problems[about] = problem;
      const shown = problems.change ?? problems.state;
      setText(error, shown?.message ?? "");
      setAttr(field, "aria-invalid", problems.change ? "true" : null);
    },
  };
}

function makeTarget({ target }, strips, remove) {
  const parts = {
    plot: strip(), mark: el("span", { class: "mark" }), name: nameNode(target, "target"),
    figures: el("span", { class: "values" }),
    reason: nameNode("", "reason"),
  };
  const drop = el("button", { type: "button", class: "quiet small", onclick: () => remove(target) }, "Remove");
  setAttr(drop, "aria-label", `Remove target ${target}`);
  const node = el("li", { class: "watched" },
    parts.mark, parts.name, parts.figures, parts.plot.node, drop, parts.reason);
  strips.set(node, parts);
  watch(node, [parts.plot]);
  return node;
}

function drawTarget(node, parts, { state, reason, rtt, loss, since, history = [] }) {
  const { shape, word, kind } = STATES[state] ?? STATES.unknown;
  setText(parts.mark, `${shape} ${word}`);
  setAttr(parts.mark, "class", `mark ${kind}`);
  setAttr(parts.mark, "title", since ? `since ${clock(since)}` : null);
  const figures = [rtt !== undefined && time(rtt), loss > 0 && `${share(loss)} lost`].filter(Boolean);
  setText(parts.figures, figures.join(", ") || "not measured");
  setName(parts.reason, reason ?? "");
  show(parts.reason, Boolean(reason));
  const probes = history.map(probe);
  const answered = probes.filter((each) => each.state === "up").length;
  parts.plot.update(probes, probes.flatMap((each) => [each.state, each.rtt]),
    () => `${answered} of the last ${probes.length} probes were answered`);
}

/** A member of a history: a round trip, null without an answer, a state, or an object with both. */
function probe(item) {
  if (typeof item === "number") return { state: "up", rtt: item };
  if (item === null) return { state: "down" };
  return typeof item === "string" ? { state: item } : { state: item.state ?? "unknown", rtt: item.rtt };
}
