// SPDX-License-Identifier: Apache-2.0

import { el, nameNode, setAttr, setName, setText } from "./dom.js";
import { bytes, lasted, number } from "./format.js";

/** The causes of losses, in the words of `linkcond simulate`. */
const CAUSES = {
  random: "random loss", queue: "queue full", down: "link down", step: "at a step", fault: "fault",
};

/**
 * A column of the table of connections.
 *
 * `make` makes the contents of a cell once; it returns the nodes, and a function that shows another row in them.
 *
 * @typedef {{key: string, label: string, title: string, kind?: string, descending?: boolean,
 *   make: () => {nodes: Element[], update: (row: object, context: object) => void},
 *   value: (row: object) => any}} Column
 */

const sum = (counts = {}) => Object.values(counts).reduce((total, count) => total + (count || 0), 0);
const traffic = (row, key) => sum(row[key]);

/** A name above something that belongs to it. */
function twoLines(first, second) {
  const nodes = [nameNode(), nameNode("", "muted")];
  return {
    nodes,
    update(row, context) {
      setName(nodes[0], first(row, context) ?? "");
      setName(nodes[1], second(row, context) ?? "");
    },
  };
}

/** Downlink above uplink, each with its arrow. */
function twoWays(key) {
  const part = (lane, arrow, word) => {
    const value = el("span");
    const node = el("span", { class: `way ${lane}` },
      el("span", { class: "arrow", "aria-hidden": "true" }, arrow), el("span", { class: "unseen" }, `${word} `), value);
    return { node, value };
  };
  const [down, up] = [part("downlink", "↓", "down"), part("uplink", "↑", "up")];
  return {
    nodes: [down.node, up.node],
    update(row) {
      const { down: received, up: sent } = row[key] ?? {};
      setText(down.value, received === undefined ? "" : bytes(received));
      setText(up.value, sent === undefined ? "" : bytes(sent));
    },
  };
}

function figure(words, kind = () => "") {
  const node = el("span");
  return {
    nodes: [node],
    update(row) {
      setText(node, words(row));
      setAttr(node, "class", kind(row) || null);
    },
  };
}

/** The number of packets lost, above its causes. */
function losses() {
  const total = el("span"), causes = nameNode("", "muted");
  return {
    nodes: [total, causes],
    update({ lost }) {
      setText(total, lost ? number(sum(lost)) : "");
      const found = Object.entries(lost ?? {}).filter(([, count]) => count > 0);
      setName(causes, found.map(([cause, count]) => `${number(count)} ${CAUSES[cause] ?? cause}`).join(", "));
    },
  };
}

const ownWords = ({ own }) => (own === undefined ? "" : own > 0 ? `▲ ${number(own)}` : "0");
const profileOf = (id, rules) => rules?.find((rule) => rule.id === id)?.profile;

/** @type {Column[]} */
export const COLUMNS = [
  {
    key: "peer", label: "Peer", title: "The other end, by name and address",
    make: () => twoLines((row) => row.name ?? row.peer, (row) => (row.name ? row.peer : "")),
    value: (row) => row.peer,
  },
  {
    key: "process", label: "Process", title: "The process, and its own address",
    make: () => twoLines((row) => row.process ?? "unknown", (row) => row.client), value: (row) => row.process,
  },
  { key: "transport", label: "Transport", title: "The transport", make: () => figure((row) => row.transport ?? ""),
    value: (row) => row.transport },
  { key: "state", label: "State", title: "The state of a TCP connection",
    make: () => figure((row) => row.state ?? "", (row) => (row.state === "reset" ? "bad" : "")),
    value: (row) => row.state },
  {
    key: "rule", label: "Rule", title: "The rule that its packets meet",
    make: () => twoLines((row) => row.rule ?? "none", (row, { rules }) => profileOf(row.rule, rules)),
    value: (row) => row.rule,
  },
  { key: "seen", label: "Seen", title: "Bytes that arrived at the rule", kind: "figure", descending: true,
    make: () => twoWays("seen"), value: (row) => traffic(row, "seen") },
  { key: "delivered", label: "Delivered", title: "Bytes that left the rule", kind: "figure", descending: true,
    make: () => twoWays("delivered"), value: (row) => traffic(row, "delivered") },
  { key: "retransmissions", label: "Retransmitted", title: "Packets that TCP has retransmitted", kind: "figure",
    descending: true,
    make: () => figure((row) => (row.retransmissions === undefined ? "" : number(row.retransmissions))),
    value: (row) => row.retransmissions },
  { key: "lost", label: "Lost", title: "Packets lost by what was asked, by cause", kind: "figure", descending: true,
    make: losses, value: (row) => sum(row.lost) },
  { key: "own", label: "Own losses", title: "Packets that linkcond itself lost, unasked", kind: "figure",
    descending: true, make: () => figure(ownWords, (row) => (row.own > 0 ? "bad" : "")), value: (row) => row.own },
  { key: "age", label: "Age", title: "Time since its first packet", kind: "figure",
    make: () => figure((row) => (row.age === undefined ? "" : lasted(row.age))), value: (row) => row.age },
];

/** Orders rows as the server does; unknown values come last. */
export function sorted(rows, key, descending) {
  const { value } = COLUMNS.find((column) => column.key === key) ?? COLUMNS[0];
  const order = (a, b) => (typeof a === "number" ? a - b : String(a).localeCompare(String(b)));
  return [...rows].sort((left, right) => {
    const [a, b] = [value(left), value(right)];
    if (a === undefined || b === undefined) return (a === undefined) - (b === undefined);
    return descending ? order(b, a) : order(a, b);
  });
}

/** The traffic of a row as a rule selects it. */
export function trafficOf({ peer = "", transport, rule }) {
  const [, host = peer, port] = /^\[?(.*?)\]?:(\d+)$/.exec(peer) ?? [];
  const found = { to: [host] };
  if (rule?.includes("#")) found.interface = rule.slice(0, rule.lastIndexOf("#"));
  if (port && transport !== "icmp") found.port = [port];
  if (transport) found.protocol = [transport];
  return found;
}
