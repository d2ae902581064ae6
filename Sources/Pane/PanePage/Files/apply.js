// SPDX-License-Identifier: Apache-2.0

import { send } from "./api.js";
import { copyButton, el, say, setAttr, setText, show } from "./dom.js";
import { split } from "./draft.js";
import { latest } from "./latest.js";

/**
 * The bar that says what is not applied yet, shows the command line, and applies.
 *
 * @param {{problem: (source: string, refusal: object | null) => void}} problems
 */
export function makeApply(draft, bus, problems) {
  const parts = makeParts(draft, bus);
  const state = { busy: false, command: "", wrong: false };
  const place = bus.pane.place;

  const ask = latest(150,
    (signal) => send("POST", "/v1/rules", { ...draft.request(place), dryRun: true }, signal),
    (answer) => {
      problems.problem("rule", null);
      state.command = answer.command ?? "";
      state.wrong = false;
      parts.line.classList.remove("pending");
      list(parts.warnings, answer.warnings);
      draw();
    },
    (refusal) => {
      problems.problem("rule", refusal);
      list(parts.warnings, []);
      state.wrong = true;
      parts.line.classList.remove("pending");
      draw();
    });

  function draw() {
    const status = statusWords(draft, bus.live, place);
    setText(parts.status, state.busy ? "Applying…" : status.words);
    parts.node.dataset.state = status.state;
    setText(parts.command, (parts.canChange ? "" : "sudo ") + state.command);
    show(parts.line, state.command !== "");
    show(parts.drop, draft.touched);
    setAttr(parts.apply, "aria-disabled", state.busy ? "true" : null);
    parts.line.classList.toggle("old", state.wrong);
  }

  async function apply(endless = false) {
    if (state.busy || !parts.canChange) return;
    if (!endless && place !== "sandbox" && draft.isEndless) return parts.ask(draft);
    parts.closeQuestion();
    state.busy = true;
    draw();
    try {
      const answer = await send("POST", "/v1/rules", { ...draft.request(place), dryRun: false });
      draft.settle();
      list(parts.notes, answer.notes);
      say(`Applied: ${answer.command}`);
      bus.emit("changed", answer);
    } catch (refusal) {
      // A server that is away is said on top; that nothing was applied is said where Apply was pressed.
      if (refusal.field) problems.problem("rule", refusal);
      else problems.problem("apply", { message: `Not applied: ${refusal.message}`, remedy: refusal.remedy });
    } finally {
      state.busy = false;
      draw();
    }
  }

  function drop() {
    parts.closeQuestion();
    if (!draft.touched) return;
    draft.drop();
    say("Changes dropped");
  }

  parts.apply.addEventListener("click", () => apply());
  parts.drop.addEventListener("click", drop);
  parts.limited.addEventListener("click", () => {
    draft.set("for", "10m");
    apply();
  });
  parts.endless.addEventListener("click", () => apply(true));
  parts.cancel.addEventListener("click", () => parts.closeQuestion());
  draft.on(() => {
    problems.problem("apply", null);
    list(parts.notes, []);
    parts.closeQuestion();
    parts.line.classList.add("pending");
    ask();
    draw();
  });
  bus.on("live", draw);
  return { node: parts.node, apply, drop, fail: parts.fail };
}

function makeParts(draft, bus) {
  const canChange = bus.pane.canChange !== false;
  const button = (kind, label, key) => el("button", { type: "button", class: kind }, label,
    key && el("kbd", { "aria-hidden": "true" }, key));
  const parts = {
    canChange,
    status: el("p", { class: "status" }),
    command: el("code", { tabindex: "0", role: "group", "aria-label": "Command line" }),
    warnings: el("ul", { class: "warnings", "aria-label": "Warnings" }),
    notes: el("ul", { class: "notes", "aria-label": "Notes", role: "list" }),
    error: el("p", { class: "error", role: "alert", hidden: true }),
    apply: button("primary", "Apply", "⏎"), drop: button("quiet", "Drop", "Esc"),
    limited: button("primary", "Apply for 10 min"), endless: button("danger", "Apply without an end"),
    cancel: button("quiet", "Cancel"),
  };
  const question = el("p", {});
  parts.question = el("div", { class: "question", role: "group", "aria-label": "Confirm", hidden: true }, question,
    el("div", { class: "buttons" }, parts.limited, parts.endless, parts.cancel));
  parts.line = el("div", { class: "line", hidden: true }, parts.command, copyButton(() => parts.command.textContent));
  const reason = !canChange && el("p", { class: "reason" },
    `${bus.pane.reason ?? "Changing needs root"}. Type this in a terminal:`);
  parts.node = el("div", { class: "apply", role: "region", "aria-label": "Apply" },
    el("div", { class: "row" }, parts.status, parts.drop, canChange && parts.apply),
    reason, parts.line, parts.warnings, parts.notes, parts.error, parts.question);
  parts.ask = (rule) => {
    const where = split(rule.values.where)[1] || "this network";
    setText(question, `No target and no end: all traffic of ${where} until Reset.`);
    show(parts.question, true);
    parts.limited.focus();
  };
  parts.closeQuestion = () => {
    if (parts.question.contains(document.activeElement)) parts.apply.focus();
    show(parts.question, false);
  };
  parts.fail = (message) => {
    show(parts.error, Boolean(message));
    setText(parts.error, message);
  };
  return parts;
}

/** Items of a list, each a text. */
function list(node, texts = []) {
  const now = texts.join("\n");
  if (node.dataset.texts === now) return;
  node.dataset.texts = now;
  node.replaceChildren(...texts.map((text) => el("li", {}, text)));
}

/** What stands between the fields and the network. */
function statusWords(draft, live, place) {
  const [kind, name] = split(draft.values.where);
  const where = kind === "interface" ? name : live?.containers?.find((one) => one.name === name)?.interface ?? name;
  const rules = (live?.rules ?? []).filter((rule) => place === "sandbox" || rule.interface === where);
  if (draft.touched) return { state: "dirty", words: "Unapplied changes" };
  if (rules.some((rule) => rule.profile === draft.profile)) {
    return { state: "on", words: place === "sandbox" ? "On" : `On ${where}` };
  }
  return { state: "off", words: "Not on" };
}
