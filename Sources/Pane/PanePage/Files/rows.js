// SPDX-License-Identifier: Apache-2.0

import { COLUMNS } from "./columns.js";
import { el, setAttr, setText, show } from "./dom.js";

/** Rows beyond the edges, so that a scroll shows no gap before the next answer. */
const SPARE = 4;

/**
 * A table that has elements for the rows on the screen only, whatever their number: a scroll shows other rows in them.
 *
 * @param {{sort: (key: string) => void, scrolled: () => void, act: (row: object, what: "rule" | "fault") => void,
 *   held: (isHeld: boolean) => void}} calls
 */
export function makeRows(calls) {
  const heads = COLUMNS.map((column) => makeHead(column, calls.sort));
  const above = el("tr", { class: "space", "aria-hidden": "true" }, el("td", { colspan: COLUMNS.length + 1 }));
  const below = above.cloneNode(true);
  const body = el("tbody", {}, above, below);
  const table = el("table", { class: "connections" },
    el("colgroup", {}, COLUMNS.map(({ key }) => el("col", { class: `col-${key}` })), el("col", { class: "col-act" })),
    el("thead", {}, el("tr", { "aria-rowindex": 1 }, heads.map(({ node }) => node),
      el("th", { scope: "col", class: "act" }, el("span", { class: "unseen" }, "Actions")))), body);
  const node = el("div", { class: "rows", tabindex: 0, role: "region", "aria-label": "Table of connections" }, table);
  const pool = [];
  const view = { node, total: 0, top: 0, height: 0, row: 44, cursor: 0 };
  const first = () => Math.max(0, Math.min(Math.floor(view.top / view.row) - SPARE, view.total - 1));
  const count = () => Math.ceil(view.height / view.row) + 2 * SPARE;

  node.addEventListener("scroll", () => { view.top = node.scrollTop; calls.scrolled(); }, { passive: true });
  new ResizeObserver(([entry]) => { view.height = entry.contentRect.height; calls.scrolled(); }).observe(node);
  // An order that changes below the pointer would make a click hit another row than the one that was meant.
  const hold = (event) => calls.held(Boolean(event.target.closest?.(".act button")));
  body.addEventListener("pointerover", hold);
  body.addEventListener("pointerleave", () => calls.held(false));
  body.addEventListener("focusin", hold);
  body.addEventListener("focusout", () => calls.held(false));
  body.addEventListener("keydown", (event) => moveFocus(event, view, pool));
  body.addEventListener("focusin", (event) => {
    const line = pool.find(({ buttons }) => buttons.includes(event.target));
    if (line) view.cursor = line.index;
  });

  return {
    node,
    /** The rows to ask for: [from, count]. */
    get range() { return [first(), count()]; },
    showOrder(key, descending) { for (const head of heads) head.update(key, descending); },
    /** Shows `rows`, the first of which is at `from` of `total`. */
    update(rows, from, total, context) {
      view.total = total;
      const focused = pool.flatMap((line) => line.buttons).indexOf(document.activeElement);
      while (pool.length < rows.length) {
        pool.push(makeRow(calls.act));
        body.insertBefore(pool.at(-1).node, below);
      }
      pool.forEach((line, index) => {
        show(line.node, index < rows.length);
        if (index < rows.length) line.update(rows[index], from + index, view.cursor, context);
      });
      if (focused >= 0) refocus(pool, view.cursor, focused % 2);
      setHeight(above, from * view.row);
      setHeight(below, Math.max(0, total - from - rows.length) * view.row);
      setAttr(table, "aria-rowcount", total + 1);
      measure(view, pool[0]);
    },
  };
}

/** The height of a row follows the font and the pointer; it is read once for each size of the page. */
function measure(view, line) {
  if (!line || view.measured === devicePixelRatio) return;
  const { height } = line.node.getBoundingClientRect();
  if (height > 0) Object.assign(view, { row: height, measured: devicePixelRatio });
}

function setHeight(spacer, height) {
  const text = `${height}px`;
  if (spacer.firstChild.style.height !== text) spacer.firstChild.style.height = text;
  show(spacer, height > 0);
}

function makeHead({ key, label, title, kind = "" }, sort) {
  const arrow = el("span", { class: "order", "aria-hidden": "true" });
  const button = el("button", { type: "button", title, onclick: () => sort(key) }, label, arrow);
  const node = el("th", { scope: "col", class: kind }, button);
  return {
    node,
    update(sortedBy, descending) {
      const isOrder = key === sortedBy;
      setAttr(node, "aria-sort", isOrder ? (descending ? "descending" : "ascending") : null);
      setText(arrow, isOrder ? (descending ? " ▾" : " ▴") : "");
    },
  };
}

function makeRow(act) {
  let shown;
  const cells = COLUMNS.map((column, index) => {
    const { nodes, update } = column.make();
    const attributes = { class: column.kind };
    const node = index === 0 ? el("th", { scope: "row", ...attributes }, nodes) : el("td", attributes, nodes);
    return { update, node };
  });
  const button = (what, label) =>
    el("button", { type: "button", class: "quiet small", tabindex: -1, onclick: () => act(shown, what) }, label);
  const buttons = [button("rule", "Rule"), button("fault", "Fault")];
  const node = el("tr", {}, cells.map((cell) => cell.node), el("td", { class: "act" }, buttons));
  return {
    node,
    buttons,
    get index() { return Number(node.getAttribute("aria-rowindex")) - 2; },
    update(row, index, cursor, context) {
      shown = row;
      for (const cell of cells) cell.update(row, context);
      setAttr(node, "aria-rowindex", index + 2);
      setAttr(node, "class", row.state === "closed" || row.state === "reset" ? "over" : null);
      const peer = (row.name ?? row.peer ?? "").slice(0, 100);
      setAttr(buttons[0], "aria-label", `Rule for just ${peer}`);
      setAttr(buttons[1], "aria-label", `Fault for just ${peer}`);
      for (const each of buttons) setAttr(each, "tabindex", index === cursor ? 0 : -1);
    },
  };
}

/** The focus stays with its row where a scroll has moved the row to another element. */
function refocus(pool, index, button) {
  const line = pool.find((each) => !each.node.hidden && each.index === index);
  if (line && document.activeElement !== line.buttons[button]) line.buttons[button].focus({ preventScroll: true });
}

/** One stop of Tab in the whole table: the arrow keys go from row to row, and between the two buttons. */
function moveFocus(event, view, pool) {
  const line = pool.find(({ buttons }) => buttons.includes(event.target));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!line) return;
  const at = line.buttons.indexOf(event.target);
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    line.buttons[event.key === "ArrowRight" ? 1 : 0].focus();
  } else if (step) {
    const next = pool.find(({ node, index }) => !node.hidden && index === line.index + step);
    next?.buttons[at].focus();
    next?.node.scrollIntoView({ block: "nearest" });
    if (next) view.cursor = next.index;
  } else {
    return;
  }
  event.preventDefault();
}
