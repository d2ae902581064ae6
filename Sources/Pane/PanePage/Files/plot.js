// SPDX-License-Identifier: Apache-2.0

import { el, setAttr } from "./dom.js";

/** The milliseconds that a frame spends on drawings, of the 16 that it has. */
const BUDGET = 5;
/** The drawings of each frame even so: on a busy machine the clock runs, and the page does not. */
const LEAST = 8;
const plots = new WeakMap();
const groups = new WeakMap();
const all = new Set();
const waiting = new Set();
let scheduled = false, palette = null;

const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const plot = plots.get(target);
    plot.width = contentRect.width;
    plot.height = contentRect.height;
    request(plot);
  }
});
const sights = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    for (const plot of groups.get(target) ?? []) {
      plot.isSeen = isIntersecting;
      if (plot.isStale) request(plot);
    }
  }
}, { rootMargin: "100px" });

for (const media of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
  matchMedia(media).addEventListener("change", () => {
    palette = null;
    for (const plot of all) request(plot);
  });
}

/** The page's colours, read once for each scheme: reading them for each plot would lay out the page each time. */
function colors() {
  if (!palette) {
    const style = getComputedStyle(document.documentElement);
    const names = ["text", "hair", "muted", "downlink", "uplink", "dns", "good", "bad", "waiting"];
    palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }
  return palette;
}

function request(plot) {
  plot.isStale = true;
  if (!plot.isSeen || plot.width <= 0) return;
  waiting.add(plot);
  schedule();
}

function schedule() {
  if (!scheduled) requestAnimationFrame(drawSome);
  scheduled = true;
}

function drawSome() {
  const start = performance.now();
  let count = 0;
  scheduled = false;
  for (const plot of waiting) {
    count += 1;
    if (count > LEAST && performance.now() - start > BUDGET) return schedule();
    waiting.delete(plot);
    plot.isStale = false;
    draw(plot);
  }
  return undefined;
}

function draw({ node, width, height, paint, data }) {
  const ratio = devicePixelRatio;
  // Setting the size also clears the canvas.
  node.width = Math.round(width * ratio);
  node.height = Math.round(height * ratio);
  const context = node.getContext("2d");
  context.scale(ratio, ratio);
  paint(context, { width, height, colors: colors() }, data);
}

/**
 * A canvas that is drawn in its size on the screen. With 33 rules there are hundreds: only those on the screen are
 * drawn, each when its data change, and a frame spends a few milliseconds on them at most.
 *
 * @param {string} kind  the canvas's class
 * @typedef {{width: number, height: number, colors: object}} Area
 * @param {(context: CanvasRenderingContext2D, area: Area, data: any) => void} paint
 * @returns {{node: Element, update: (data: any, version: any[], label: () => string) => void}}
 */
export function makePlot(kind, paint) {
  const node = el("canvas", { class: kind, role: "img" });
  const plot = { node, paint, update, version: null, width: 0, height: 0, isSeen: false, isStale: false };
  /** Draws `data`, whose picture changes only with the members of `version`. */
  function update(data, version, label) {
    if (plot.version && isSame(plot.version, version)) return;
    Object.assign(plot, { version, data });
    setAttr(node, "aria-label", label());
    request(plot);
  }
  plots.set(node, plot);
  all.add(plot);
  sizes.observe(node);
  return plot;
}

const isSame = (one, other) => one.length === other.length && one.every((member, index) => member === other[index]);

/** Calls when an element comes near the screen, and when it has left it. */
export function whileSeen(node, call) {
  new IntersectionObserver(([entry]) => call(entry.isIntersecting), { rootMargin: "200px" }).observe(node);
}

/** Draws the plots while `container` is on the screen: one question for several plots, since each frame asks all. */
export function watch(container, members) {
  groups.set(container, members);
  sights.observe(container);
}

/** Forgets the plots of a container that has been removed. */
export function unwatch(container) {
  sights.unobserve(container);
  for (const plot of groups.get(container) ?? []) {
    sizes.unobserve(plot.node);
    all.delete(plot);
    waiting.delete(plot);
  }
}
