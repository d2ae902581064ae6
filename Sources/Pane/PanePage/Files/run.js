// SPDX-License-Identifier: Apache-2.0

import { send } from "./api.js";
import { el, keyed, nameNode, say, setAttr, setName, setText, show } from "./dom.js";
import { mount as mountReport } from "./report.js";
import { makeTimeline, moment } from "./timeline.js";

const STEPS = { done: "✓", now: "●", next: "○" };
const VERDICTS = {
  pass: { shape: "✓", kind: "good" }, fail: { shape: "✗", kind: "bad" },
  inconclusive: { shape: "?", kind: "doubt" }, pending: { shape: "…", kind: "muted" },
};

/** The run that the pane belongs to: its timeline, steps, marks and verdicts; or a report; or how to get one. */
export function mount(section, bus) {
  if (bus.pane.place === "report") return mountReport(section);
  section.append(el("h2", {}, "Tests"));
  if (bus.pane.place !== "sandbox") return section.append(nothing());
  const parts = makeParts();
  section.append(parts.node);
  let told = new Map();
  bus.on("live", ({ run }) => {
    if (!run) return;
    const relative = inSeconds(run);
    const { now } = relative;
    parts.timeline.update(relative, now);
    const steps = relative.steps.map((step, index) => ({ ...step, index }));
    keyed(parts.steps, steps, ({ index }) => String(index), makeStep, drawStep);
    keyed(parts.verdicts, run.verdicts ?? [], ({ expectation }) => expectation, makeVerdict, drawVerdict);
    setName(parts.facts, facts(run, now));
    show(parts.form, run.ended === undefined);
    told = tell(run.verdicts ?? [], told);
  });
  return undefined;
}

const nothing = () => el("p", { class: "empty" },
  "No run is shown here. ", el("code", {}, "linkcond run --pane -- COMMAND"), " shows a command's timeline,",
  " marks and verdicts; ", el("code", {}, "linkcond pane --report DIR"), " opens a report.");

const facts = ({ scenario, seed, ended, off }, now) => [
  scenario, ended === undefined ? `for ${moment(Math.floor(now))}` : `ended after ${moment(now)}`,
  seed !== undefined && `seed ${seed}`, off && "conditions are off",
].filter(Boolean).join(", ");

/** The times from the start of the run, which the server gives as seconds since 1970. */
function inSeconds(run) {
  const start = run.began ?? run.now;
  const from = (item) => (item.at > 1e8 ? { ...item, at: Math.max(0, item.at - start) } : item);
  const ended = run.ended === undefined ? undefined : run.ended - start;
  const [steps, marks, conditions] = [run.steps, run.marks, run.conditions].map((items = []) => items.map(from));
  return { steps, marks, conditions, ended, now: Math.max(0, ended ?? run.now - start) };
}

function makeParts() {
  const timeline = makeTimeline();
  const steps = el("ol", { class: "steps" });
  const verdicts = el("ul", { class: "verdicts", "aria-label": "Verdicts" });
  const facts = nameNode("", "muted small");
  const form = makeMarkForm();
  const save = el("a", { class: "button", href: "/v1/archive", download: "linkcond-run.tar",
    title: "Scenario, seed, command line and capture as one archive, for linkcond run --scenario" },
  "Save what repeats this");
  const node = el("div", { class: "run" },
    facts, timeline.node, steps, verdicts, el("div", { class: "inline" }, form, save));
  return { node, timeline, steps, verdicts, facts, form };
}

function makeStep() {
  return el("li", {},
    el("span", { class: "mark", "aria-hidden": "true" }), nameNode(), el("span", { class: "muted small" }));
}

function drawStep(node, { label, at, state, after, profile, failure }) {
  const [mark, name, when] = node.children;
  setText(mark, STEPS[state] ?? "○");
  setName(name, label);
  setText(when, failure ? "failed" : at === undefined ? after ?? "waits" : `${moment(at)}, ${state}`);
  setAttr(node, "title", failure ?? profile ?? null);
  setAttr(node, "class", failure ? "failed" : state ?? null);
  setAttr(node, "aria-current", state === "now" ? "step" : null);
}

function makeVerdict() {
  return el("li", {}, el("span", { class: "verdict" }), nameNode(), nameNode("", "finding"));
}

function drawVerdict(node, { expectation, verdict, soFar, finding }) {
  const [mark, name, words] = node.children;
  const { shape, kind } = VERDICTS[verdict] ?? VERDICTS.inconclusive;
  setText(mark, `${shape} ${verdict}`);
  setAttr(mark, "class", `verdict ${kind}`);
  setName(name, expectation);
  const said = [soFar && `${soFar} so far`, finding].filter(Boolean).join(": ");
  setName(words, said);
  show(words, said !== "");
}

/** Says a verdict when it changes, and none at the start. */
function tell(verdicts, before) {
  const now = new Map(verdicts.map(({ expectation, verdict }) => [expectation, verdict]));
  const changed = verdicts.find(({ expectation, verdict }) => (before.get(expectation) ?? verdict) !== verdict);
  if (changed) say(`${changed.verdict}: ${changed.expectation}`);
  return now;
}

function makeMarkForm() {
  const field = el("input", { type: "text", id: "markName", "aria-label": "Name of the mark",
    placeholder: "Name of a mark", autocomplete: "off", "aria-describedby": "markError" });
  const error = el("p", { class: "error", id: "markError", role: "status" });
  const button = el("button", { type: "submit" }, "Mark");
  const form = el("form", { class: "inline" }, field, button, error);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await send("POST", "/v1/marks", { name: field.value.trim() });
      setText(error, "");
      say(`Marked ${field.value.trim()}`);
      field.value = "";
    } catch (problem) {
      setText(error, problem.message);
    }
    setAttr(field, "aria-invalid", error.textContent ? "true" : null);
    button.disabled = false;
    field.focus();
  });
  return form;
}
