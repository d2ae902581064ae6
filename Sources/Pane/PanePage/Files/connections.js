// SPDX-License-Identifier: Apache-2.0

import { get } from "./api.js";
import { COLUMNS, sorted, trafficOf } from "./columns.js";
import { el, say, setAttr, setText, show } from "./dom.js";
import { clock, counted } from "./format.js";
import { onKey } from "./header.js";
import { whileSeen } from "./plot.js";
import { makeRows } from "./rows.js";

/** The most rows that a frozen table keeps, and that the server gives in one answer. */
const MOST = 10000, PART = 1000;
/** The milliseconds between two answers: a table that changes more often cannot be read. */
const PERIOD = 500;
const HINT = "port:443, state:open, process:curl, rule:eth0#1, lost:>0, retransmissions:>3, seen:>1MB";

/** The table of connections: sorted, searched and paged by the server, frozen here. */
export function mount(section, bus) {
  const table = makeTable(bus);
  const { search, error, freeze, count } = table.parts;
  section.append(
    el("div", { class: "heading tools" }, el("h2", {}, "Connections"), count,
      el("div", { class: "find" }, search, error), freeze),
    table.parts.empty, table.rows.node);
  let wait;
  search.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(() => table.find(search.value), 150);
  });
  freeze.addEventListener("click", () => table.freeze());
  onKey("f", () => freeze.click());
  table.rows.showOrder(table.order.key, table.order.descending);
  whileSeen(section, (isSeen) => { table.isSeen = isSeen; });
  bus.on("live", () => { if (table.isSeen) table.renew(); });
}

function makeParts() {
  const search = el("input", {
    type: "search", id: "find", "aria-label": "Search connections", placeholder: "Search: words, port:443, lost:>0",
    title: HINT, "aria-describedby": "findError", autocomplete: "off", spellcheck: "false",
  });
  return {
    search, error: el("p", { class: "error", id: "findError", role: "status" }),
    freeze: el("button", { type: "button", "aria-pressed": "false", "aria-keyshortcuts": "f" },
      el("span", {}, "Freeze"), el("kbd", { "aria-hidden": "true" }, "f")),
    count: el("p", { class: "muted small" }), empty: el("p", { class: "empty", hidden: true }),
  };
}

function makeTable(bus) {
  const parts = makeParts();
  const order = { key: "age", descending: false };
  let words = "", asking = false, again = false, held = false, pause = 0, kept = null;
  const rows = makeRows({
    sort(key) {
      const column = COLUMNS.find((each) => each.key === key);
      order.descending = order.key === key ? !order.descending : Boolean(column.descending);
      order.key = key;
      rows.showOrder(key, order.descending);
      if (kept) kept.rows = sorted(kept.rows, key, order.descending);
      renew(true);
    },
    scrolled: () => renew(true),
    act: (row, what) => bus.emit("pick", { ...trafficOf(row), ...(what === "fault" ? { fault: true } : {}) }),
    held(isHeld) { held = isHeld; },
  });

  /** Asks for the rows on the screen, one request at a time. */
  async function renew(isForced = false) {
    if (kept) return draw(kept.rows, kept.rows.length);
    if (!isForced && (held || performance.now() < pause)) return undefined;
    if (asking) { again ||= isForced; return undefined; }
    asking = true;
    pause = performance.now() + PERIOD;
    const [from, count] = rows.range;
    try {
      const answer = await ask(from, count);
      if (!kept) drawFrom(answer.rows ?? [], from, answer.total ?? 0);
      fail(answer.problem ? { message: `Some are missing: ${answer.problem.error}` } : null);
    } catch (error) {
      fail(error);
      pause = performance.now() + 1000;
    } finally {
      asking = false;
    }
    if (again) { again = false; renew(true); }
    return undefined;
  }

  const ask = (from, count) => get("/v1/connections", {
    search: words, sort: order.key, descending: order.descending ? 1 : 0, from, count,
  });

  /** All rows, each once: a row may move from one part to the next between two answers. */
  async function askAll() {
    const found = new Map();
    for (let from = 0, total = 1; from < Math.min(total, MOST); from += PART) {
      const answer = await ask(from, PART);
      total = answer.total ?? 0;
      for (const row of answer.rows ?? []) found.set(row.id, row);
    }
    return [...found.values()];
  }

  /** A wrong word is the field's; anything else is said beside the table, which keeps its rows. */
  function fail(error) {
    setText(parts.error, error?.message ?? "");
    setAttr(parts.search, "aria-invalid", error?.field === "search" ? "true" : null);
  }

  function drawFrom(list, from, total) {
    rows.update(list, from, total, { rules: bus.live?.rules });
    show(rows.node, total > 0);
    show(parts.empty, total === 0);
    if (total === 0) setText(parts.empty, words === "" ? nothing(bus.live) : `No connection matches ${words}.`);
    setText(parts.count, total > 0 ? counted(total, "connection") : "");
  }

  function draw(list, total) {
    const [from, count] = rows.range;
    drawFrom(list.slice(from, from + count), from, total);
  }

  async function freeze() {
    if (kept) {
      kept = null;
      renew(true);
    } else {
      const all = await askAll().catch((error) => { fail(error); });
      if (!all) return;
      kept = { rows: all, at: bus.live?.time ?? Date.now() / 1000 };
      draw(kept.rows, kept.rows.length);
    }
    setAttr(parts.freeze, "aria-pressed", kept ? "true" : "false");
    setText(parts.freeze.firstChild, kept ? `Frozen at ${clock(kept.at)}` : "Freeze");
    parts.search.disabled = Boolean(kept);
    say(kept ? "The table is frozen" : "The table goes on");
  }

  return { parts, rows, order, renew, freeze, isSeen: false, find(text) { words = text.trim(); renew(true); } };
}

const nothing = (live) => ((live?.rules ?? []).length > 0
  ? "No connection has met a rule yet. Use the network: connections are listed as their packets pass."
  : "Connections are listed here while conditions are on. Choose a profile and apply it.");
