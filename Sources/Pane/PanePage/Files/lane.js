// SPDX-License-Identifier: Apache-2.0

import { sparkline } from "./chart.js";
import { el, setAttr, setText, show } from "./dom.js";
import { bytes, counted, rate, share, time } from "./format.js";
import { unwatch, watch } from "./plot.js";

/** The marks of a verdict: a shape and a word, so that none depends on its colour. */
export const MARKS = {
  "as asked": { shape: "✓", kind: "good" },
  below: { shape: "▼", kind: "bad" },
  above: { shape: "▲", kind: "bad" },
  idle: { shape: "–", kind: "muted" },
};

const known = (value, words) => (value === undefined || value === null ? undefined : words(value));

/**
 * What is asked and measured of a lane.
 *
 * `asked` and `now` give words, or undefined; `line` is the asked value in the unit of the minute's values.
 */
const FIGURES = [
  {
    key: "rate", label: "Rate", none: "asked: no limit", words: rate,
    asked: ({ rate: bits }) => known(bits, rate),
    now: ({ rate: bits }) => known(bits, rate),
    line: ({ rate: bits }) => bits,
  },
  {
    key: "delay", label: "Delay", none: "asked: no delay", words: time,
    asked: ({ delay, jitter }) => known(delay, (ms) => (jitter ? `${time(ms)} ± ${time(jitter)}` : time(ms))),
    now: ({ delay }) => known(delay, time),
    line: ({ delay }) => delay,
  },
  {
    key: "loss", label: "Loss", none: "asked: no loss", words: share,
    asked: ({ loss }) => known(loss, share),
    now: ({ loss }) => known(loss, share),
    line: ({ loss }) => loss,
  },
  {
    key: "held", label: "Queue", none: "not asked", words: (held) => counted(held, "packet"),
    asked: ({ queue }) => known(queue, bytes),
    now: ({ held, heldBytes }) => known(held, (count) =>
      (heldBytes === undefined ? counted(count, "packet") : `${bytes(heldBytes)}`)),
    title: ({ held }) => known(held, (count) => `${counted(count, "packet")} waiting`),
    // The minute counts packets, what is asked is a number of bytes: no common scale.
    line: () => undefined,
  },
];

const ARROWS = { downlink: "↓", uplink: "↑", dns: "?" };
/** The order of lanes: that of the columns in Choose. */
const ORDER = ["downlink", "uplink", "dns"];
export const inOrder = (lanes) => lanes.toSorted((one, other) => ORDER.indexOf(one.lane) - ORDER.indexOf(other.lane));

const TITLES = { downlink: "Downlink", uplink: "Uplink", dns: "DNS" };

/**
 * One direction of a rule: rate, delay, loss and queue in the last minute, and the measured figure over the asked one.
 *
 * @param {string} name  "downlink", "uplink" or "dns"
 */
export function makeLane(name) {
  const cells = FIGURES.map((figure) => makeCell(figure, name));
  const more = el("span", { class: "extra" });
  const finding = el("p", { class: "finding" });
  const own = el("p", { class: "finding" });
  const arrow = el("span", { class: "arrow", "aria-hidden": "true" }, ARROWS[name] ?? "");
  const title = el("h3", {}, arrow, TITLES[name] ?? name);
  const node = el("section", { class: `lane ${name}` },
    el("div", { class: "heading" }, title, more),
    el("dl", { class: "cells" }, cells.map((cell) => cell.node)), finding, own);
  watch(node, cells.map((cell) => cell.curve));
  return {
    node,
    update(lane) {
      const { asked = {}, now = {}, minute = {}, verdict = {} } = lane;
      setAttr(title, "title", lane.device ? `device ${lane.device}` : null);
      for (const cell of cells) cell.update(asked, now, minute, verdict);
      const words = asked.words ?? [];
      setText(more, words.length > cells.filter((cell) => cell.isAsked).length ? words.join(", ") : "");
      setAttr(more, "title", more.textContent || null);
      const mark = MARKS[differences(verdict)[0]];
      setText(finding, verdict.words && mark ? `${mark.shape} ${verdict.words}` : "");
      show(finding, finding.textContent !== "");
      setText(own, now.own ? `▲ linkcond itself lost ${counted(now.own, "packet")}` : "");
      show(own, Boolean(now.own));
    },
    end() { unwatch(node); },
  };
}

/** "below" or "above" for each figure that is not as asked. */
const differences = (verdict) =>
  FIGURES.map(({ key }) => verdict[key === "held" ? "queue" : key])
    .filter((word) => word === "below" || word === "above");

/** In words which figures of a rule differ from what was asked: ["▼ downlink rate below"]. */
export function lanesDiffer(lanes = []) {
  return lanes.flatMap(({ lane, verdict = {} }) => ["rate", "delay", "loss", "queue"]
    .filter((key) => verdict[key] === "below" || verdict[key] === "above")
    .map((key) => `${MARKS[verdict[key]].shape} ${lane} ${key} ${verdict[key]}`));
}

/** The measured rates of a rule beside the asked ones, short: "↓ 560 kbit/s of 780 kbit/s". */
export function laneRates(lanes = []) {
  return lanes.filter(({ now }) => now?.rate !== undefined).map(({ lane, now, asked = {} }) =>
    `${ARROWS[lane] ?? lane} ${rate(now.rate)}${asked.rate === undefined ? "" : ` of ${rate(asked.rate)}`}`).join("  ");
}

function makeCell(figure, lane) {
  const curve = sparkline(lane);
  const verdict = el("span", { class: "mark" });
  const measured = el("dd", { class: "measured" });
  const asked = el("dd", { class: "asked" });
  const node = el("div", { class: "cell" },
    el("dt", {}, el("span", {}, figure.label), verdict), el("dd", {}, curve.node), measured, asked);
  return {
    node,
    isAsked: false,
    curve,
    update(wanted, now, minute, verdicts) {
      const goal = figure.asked(wanted);
      const value = figure.now(now);
      this.isAsked = goal !== undefined;
      setText(measured, value ?? "not measured");
      setAttr(measured, "class", value === undefined ? "measured none" : "measured");
      setAttr(measured, "title", figure.title?.(now));
      setText(asked, goal === undefined ? figure.none : `asked ${goal}`);
      setAttr(asked, "title", asked.textContent);
      drawMark(verdict, verdicts[figure.key === "held" ? "queue" : figure.key]);
      const values = minute[figure.key] ?? [];
      const line = figure.line(wanted);
      curve.update({ values, asked: line }, [line, ...values], () => label(figure, values));
    },
  };
}

function drawMark(node, word) {
  const mark = MARKS[word];
  setText(node, mark ? `${mark.shape} ${word}` : "");
  setAttr(node, "class", mark ? `mark ${mark.kind}` : "mark");
}

/** The curve in words. */
function label(figure, values) {
  const measured = values.filter((value) => value !== null && value !== undefined);
  if (measured.length === 0) return `${figure.label} in the last minute: not measured`;
  const [low, high] = [Math.min(...measured), Math.max(...measured)];
  return `${figure.label} in the last minute: ${figure.words(low)} to ${figure.words(high)}`;
}
