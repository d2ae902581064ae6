// SPDX-License-Identifier: Apache-2.0

import { el, setAttr, setText } from "./dom.js";
import { counted, number, rate, time } from "./format.js";

const COLUMNS = ["downlink", "uplink"];
/** The strip above the dots, for the packets that do not arrive. */
const LOST = 13;
/** The width of the distribution beside the dots. */
const SIDE = 44;

/** Draws what a profile would do: rate over time, and packets as dots beside the distribution of their delays. */
export function makeDrawings() {
  const node = el("div", { class: "sheet drawings", role: "group", "aria-label": "What it would do" });
  const parts = [];
  const add = (label, height, draw, describe) => {
    const pictures = COLUMNS.map((lane) => makePicture(lane, height, draw, describe));
    parts.push(...pictures);
    node.append(el("span", { class: "label" }, label), ...pictures.map((picture) => picture.node));
  };
  add("Rate", "low", drawRate, describeRate);
  add("Packets", "high", drawPackets, describePackets);
  const redraw = () => { for (const part of parts) part.draw(); };
  new ResizeObserver(redraw).observe(node);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  return {
    node,
    update(drawing) {
      for (const part of parts) part.update(drawing?.[part.lane]);
    },
  };
}

function makePicture(lane, height, draw, describe) {
  const canvas = el("canvas", { class: height, role: "img" });
  const caption = el("figcaption");
  const picture = {
    lane, node: el("figure", { class: lane }, canvas, caption), data: undefined,
    update(data) {
      picture.data = data;
      const words = data ? describe(data) : "";
      setText(caption, words);
      setAttr(canvas, "aria-label", words || "not drawn yet");
      picture.draw();
    },
    draw() {
      const { clientWidth: width, clientHeight: tall } = canvas, scale = window.devicePixelRatio || 1;
      if (width === 0) return;
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(tall * scale);
      const context = canvas.getContext("2d");
      context.scale(scale, scale);
      if (picture.data) draw(context, width, tall, picture.data, colors(canvas));
    },
  };
  return picture;
}

function colors(canvas) {
  const style = getComputedStyle(canvas);
  const color = (name) => style.getPropertyValue(name).trim();
  return {
    lane: color("--lane"), bad: color("--bad"), hair: color("--hair"), text: color("--text"), muted: color("--muted"),
    font: style.fontFamily,
  };
}

function baseline(context, width, y, color) {
  context.fillStyle = color;
  context.fillRect(0, Math.round(y) - 1, width, 1);
}

const highest = (values) => values.reduce((most, value) => Math.max(most, value), 0);

function drawRate(context, width, height, { rate: values = [] }, color) {
  const top = highest(values) || 1;
  const y = (value) => height - 1 - (value / top) * (height - 4);
  baseline(context, width, height, color.hair);
  context.beginPath();
  values.forEach((value, index) => {
    context.lineTo((index / values.length) * width, y(value));
    context.lineTo(((index + 1) / values.length) * width, y(value));
  });
  context.strokeStyle = context.fillStyle = color.lane;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineTo(width, height - 1);
  context.lineTo(0, height - 1);
  context.globalAlpha = 0.14;
  context.fill();
  context.globalAlpha = 1;
}

function describeRate({ rate: values = [], seconds = 10 }) {
  if (values.length === 0) return "no limit";
  const low = Math.min(...values), high = highest(values);
  return low === high ? `${rate(high)}, steady` : `${rate(low)} to ${rate(high)} in ${seconds} s`;
}

function drawPackets(context, width, height, { seconds = 10, dots = [], loadedDelay = [], delayHistogram }, color) {
  const room = width - SIDE - 6;
  const last = seconds * 1000;
  const top = highest([...dots.map((dot) => dot[1] ?? 0), ...loadedDelay]) * 1.25 || 1;
  const x = (at) => 1 + (at / last) * (room - 3);
  const y = (delay) => height - 2 - (delay / top) * (height - LOST - 6);
  baseline(context, room, height, color.hair);
  baseline(context, room, LOST, color.hair);
  context.fillStyle = color.lane;
  context.globalAlpha = 0.6;
  for (const [at, delay] of dots) if (delay !== null) context.fillRect(x(at) - 0.75, y(delay) - 0.75, 1.5, 1.5);
  context.globalAlpha = 1;
  drawLoaded(context, loadedDelay, (index) => x((index / loadedDelay.length) * last), y, color.text);
  drawLost(context, dots.filter((dot) => dot[1] === null), x, color.bad);
  context.fillStyle = color.muted;
  context.font = `10px ${color.font}`;
  context.textBaseline = "top";
  context.fillText(time(top), 0, LOST + 2);
  if (delayHistogram) drawHistogram(context, width, delayHistogram, y, color);
}

/** The delay while the link is full, as a line: what a queue adds. */
function drawLoaded(context, delays, x, y, color) {
  context.beginPath();
  delays.forEach((delay, index) => {
    if (delay === null) return;
    context.moveTo(x(index), y(delay));
    context.lineTo(x(index + 1), y(delay));
  });
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.stroke();
}

/** A lost packet is a cross in a strip of its own: shape and position say it, not only the colour. */
function drawLost(context, dots, x, color) {
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  // Three levels, so that neighbours can be told apart.
  dots.forEach(([at], index) => {
    const [middle, top] = [x(at), 1 + 4 * (index % 3)];
    context.moveTo(middle - 1.5, top);
    context.lineTo(middle + 1.5, top + 3);
    context.moveTo(middle + 1.5, top);
    context.lineTo(middle - 1.5, top + 3);
  });
  context.stroke();
}

/** The distribution of the delay lies beside the dots, on the same axis. */
function drawHistogram(context, width, { edges = [], counts = [] }, y, color) {
  const most = highest(counts) || 1;
  context.fillStyle = color.lane;
  counts.forEach((count, index) => {
    if (count === 0) return;
    const [low, high] = [y(edges[index]), y(edges[index + 1])];
    const tall = Math.max(2, low - high - (low - high > 3 ? 1 : 0));
    context.fillRect(width - SIDE, (low + high - tall) / 2, Math.max(1, (count / most) * SIDE), tall);
  });
}

function describePackets({ dots = [], loadedDelay = [] }) {
  const delays = dots.map((dot) => dot[1]).filter((delay) => delay !== null).sort((a, b) => a - b);
  const lost = dots.length - delays.length;
  const at = (share) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))];
  const spread = delays.length === 0 ? "none arrives"
    : time(at(0.05)) === time(at(0.95)) ? time(at(0.5)) : `${time(at(0.05))} to ${time(at(0.95))}`;
  const causes = new Map();
  for (const [, delay, reason] of dots) {
    if (delay === null && reason) causes.set(reason, (causes.get(reason) ?? 0) + 1);
  }
  const by = [...causes].map(([reason, count]) => (causes.size > 1 ? `${number(count)} ${reason}` : reason)).join(", ");
  const loaded = highest(loadedDelay);
  const full = loaded > (delays.at(-1) ?? 0) ? `; — ${time(loaded)} when full` : "";
  return `${spread}${full}; ${lost === 0 ? `${counted(dots.length, "packet")}, none lost`
    : `× ${number(lost)} of ${number(dots.length)} lost${by ? ` (${by})` : ""}`}`;
}
