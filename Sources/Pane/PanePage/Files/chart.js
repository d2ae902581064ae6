// SPDX-License-Identifier: Apache-2.0

import { makePlot } from "./plot.js";

/**
 * A curve of the values of the last minute, null where nothing was measured, and the asked value as a dashed line.
 *
 * @param {"downlink" | "uplink" | "dns"} lane  whose colour it has
 * @returns its plot, whose data are {values: (number | null)[], asked?: number}
 */
export function sparkline(lane) {
  return makePlot("spark", (context, { width, height, colors }, { values, asked }) => {
    const top = Math.max(0, asked ?? 0, ...values.map((value) => value ?? 0)) * 1.15 || 1;
    const y = (value) => height - 1 - (value / top) * (height - 3);
    line(context, colors.hair, [[0, height - 0.5], [width, height - 0.5]]);
    for (const run of runs(values, width)) drawRun(context, run, y, height, colors[lane] ?? colors.muted);
    if (asked !== undefined) line(context, colors.text, [[0, y(asked)], [width, y(asked)]], [4, 3]);
  });
}

/** The stretches of values without a gap, as points [x, value]. */
function runs(values, width) {
  const step = width / Math.max(values.length - 1, 1);
  const found = [];
  let run = [];
  values.forEach((value, index) => {
    if (value !== null && value !== undefined) run.push([index * step, value]);
    else if (run.length > 0) { found.push(run); run = []; }
  });
  return run.length > 0 ? [...found, run] : found;
}

function drawRun(context, run, y, height, color) {
  const points = run.map(([x, value]) => [x, y(value)]);
  // One second alone would have no length.
  if (points.length === 1) points.push([points[0][0] + 1.5, points[0][1]]);
  context.beginPath();
  context.moveTo(points[0][0], height - 1);
  for (const point of points) context.lineTo(...point);
  context.lineTo(points.at(-1)[0], height - 1);
  context.globalAlpha = 0.2;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
  line(context, color, points, [], 1.5);
}

function line(context, color, points, dash = [], width = 1) {
  context.beginPath();
  points.forEach((point, index) => (index === 0 ? context.moveTo(...point) : context.lineTo(...point)));
  context.setLineDash(dash);
  context.lineWidth = width;
  context.lineJoin = "round";
  context.strokeStyle = color;
  context.stroke();
}

/**
 * The last probes of a target, newest at the right: a bar as high as the round trip, one of the whole height where
 * nothing answered, a dot where it is not known.
 *
 * @returns its plot, whose data are {state: "up" | "down" | "unknown", rtt?: number}[]
 */
export function strip() {
  return makePlot("strip", (context, { width, height, colors }, probes) => {
    const step = width / 60;
    const most = Math.max(1, ...probes.map(({ rtt }) => rtt ?? 0));
    probes.slice(-60).forEach(({ state, rtt }, index, shown) => {
      const x = width - (shown.length - index) * step;
      context.fillStyle = { up: colors.good, down: colors.bad }[state] ?? colors.waiting;
      const tall = state === "up" ? Math.max(3, ((rtt ?? most) / most) * height * 0.65) : 2;
      const high = state === "down" ? height : tall;
      context.fillRect(x, height - high, Math.max(step - 0.5, 1), high);
    });
  });
}
