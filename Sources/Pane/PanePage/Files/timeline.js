// SPDX-License-Identifier: Apache-2.0

import { el, setAttr, svg } from "./dom.js";
import { countdown, digits } from "./format.js";

const ROW = 22, TOP = 16, AXIS = 18;

/** "12.3 s", "2:05". */
export const moment = (seconds) => (seconds < 100 ? `${digits(seconds)} s` : countdown(seconds));

/** Round times, at most `count`. */
export function ticks(end, count) {
  const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];
  const step = steps.find((each) => each >= end / count) ?? Math.ceil(end / count / 86400) * 86400;
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, index) => index * step);
}

/** The end of the axis: a little beyond now and all that is planned, and round, so that it seldom changes. */
export function extent(run, now) {
  const planned = [...(run.steps ?? []), ...(run.marks ?? [])].map(({ at }) => at ?? 0);
  const last = Math.max(now * 1.02, ...planned.map((at) => at * 1.1), 1);
  const size = 10 ** Math.floor(Math.log10(last));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((part) => part * size).find((end) => end >= last);
}

/** The timeline of a run: its steps, conditions and marks, drawn again only if these change, and a line for now. */
export function makeTimeline() {
  const picture = svg("svg", { class: "timeline", role: "img" });
  const node = el("div", { class: "timelineBox" }, picture);
  let key = "", width = 0, end = 1, pointer = null, last = null;
  const view = {
    node,
    update(run, now) {
      last = [run, now];
      if (width === 0) return;
      end = extent(run, now);
      const next = JSON.stringify([run.steps, run.marks, run.conditions, run.ended, width, end]);
      if (next !== key) pointer = draw(picture, run, end, width);
      key = next;
      pointer.move(now);
      setAttr(picture, "aria-label", words(run, now));
    },
  };
  new ResizeObserver(([entry]) => {
    width = Math.floor(entry.contentRect.width);
    if (last) view.update(...last);
  }).observe(node);
  return view;
}

const words = (run, now) => {
  const step = (run.steps ?? []).find(({ state }) => state === "now")?.label;
  return `Timeline of the run, ${Math.floor(now)} s after its start${step ? `, at step ${step}` : ""}`;
};

function draw(picture, run, end, width) {
  const x = (seconds) => (Math.min(seconds, end) / end) * (width - 2) + 1;
  const rows = [["Steps", spans(run.steps), "step"], ["Conditions", spans(run.conditions), "period"]]
    .filter(([, items]) => items.length > 0);
  const bottom = TOP + rows.length * ROW;
  const marks = run.marks ?? [];
  const height = bottom + (marks.length > 0 ? ROW : 0) + AXIS;
  for (const [name, value] of [["viewBox", `0 0 ${width} ${height}`], ["width", width], ["height", height]]) {
    setAttr(picture, name, value);
  }
  const axis = ticks(end, width / 70).map((at) => tick(x(at), at, height, width));
  const bands = rows.flatMap(([, items, kind], row) => items.map((item) => band(item, kind, x, TOP + row * ROW, end)));
  const names = marks.map((mark, index) =>
    flag(mark, x(mark.at), bottom, x(marks[index + 1]?.at ?? end) - x(mark.at)));
  const line = svg("line", { class: "now", x1: 0, x2: 0, y1: TOP - 4, y2: height - AXIS });
  const text = svg("text", { class: "nowText", y: TOP - 6 });
  picture.replaceChildren(...axis, ...bands, ...names, line, text);
  return {
    move(now) {
      const at = x(run.ended ?? now);
      setAttr(line, "transform", `translate(${at.toFixed(1)} 0)`);
      setAttr(text, "x", at.toFixed(1));
      setAttr(text, "text-anchor", at < 40 ? "start" : at > width - 40 ? "end" : "middle");
      text.textContent = `${run.ended === undefined ? "now" : "ended"} ${moment(run.ended ?? Math.floor(now))}`;
    },
  };
}

/** Each item lasts until the next one that has a time. */
function spans(items = []) {
  const timed = items.filter(({ at }) => at !== undefined);
  return timed.map((item, index) => ({ ...item, until: timed[index + 1]?.at, index }));
}

function tick(x, at, height, width) {
  const anchor = x < 10 ? "start" : x > width - 20 ? "end" : "middle";
  return svg("g", {}, svg("line", { class: "tick", x1: x, x2: x, y1: TOP, y2: height - AXIS }),
    svg("text", { class: "tickText", x, y: height - 5, "text-anchor": anchor }, moment(at)));
}

function band({ label, profile, by, state, at, until, index }, kind, x, y, end) {
  const left = x(at), wide = Math.max(x(until ?? end) - left, 1);
  const name = label ?? profile ?? "";
  const title = [name, `from ${moment(at)}`, by && `by ${by}`].filter(Boolean).join(", ");
  return svg("g", {}, svg("title", {}, title),
    svg("rect", {
      class: `${kind} ${state ?? ""} ${index % 2 ? "other" : ""}`, x: left, y, width: wide, height: ROW - 3, rx: 2,
    }),
    svg("text", { class: "words", x: left + 5, y: y + 14 }, cut(name, wide - 8)));
}

function flag({ name, at }, x, bottom, wide) {
  return svg("g", {}, svg("title", {}, `mark ${name}, ${moment(at)}`),
    svg("line", { class: "mark", x1: x, x2: x, y1: TOP, y2: bottom + ROW - 4 }),
    svg("text", { class: "words", x: x + 4, y: bottom + 14 }, cut(name, wide - 6)));
}

/** As much of a name as fits: text of SVG has no ellipsis of its own. The marks keep its direction to itself. */
function cut(name, width) {
  const most = Math.floor(width / 7);
  if (most < 2) return "";
  const letters = [...name.slice(0, 2 * most)];
  return `\u2068${letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("")}\u2069`;
}
