// SPDX-License-Identifier: Apache-2.0

import { el, keyed, nameNode, setAttr, setName, setText } from "./dom.js";

const ROWS_OF_A_PAGE = 8;
const plain = (text) => text.toLowerCase().replace(/[-_]+/g, " ");

/** The figures of a direction in a line: "780 kbit/s · 100 ms ± 20 ms · 1 % lost". */
function line(pairs = []) {
  const word = ([key, value]) => {
    if (key === "jitter") return `± ${value}`;
    if (key === "loss") return `${value} lost`;
    return ["rate", "delay", "trace"].includes(key) ? value : `${key} ${value}`;
  };
  return pairs.map(word).join(" · ").replace(/ · ±/g, " ±");
}

/** A profile's lines: one for both directions where they are the same. */
function lines({ columns = {}, summary = "", problem = "" }) {
  if (problem) return [{ lane: "wrong", sign: "", label: "cannot be used", text: problem }];
  const [down, up, dns] = ["downlink", "uplink", "dns"].map((lane) => line(columns[lane]));
  const both = down === up;
  // A profile of faults has no figures: its summary says what it does.
  if (both && !down && !dns) return summary ? [{ lane: "plain", sign: "", label: "", text: summary }] : [];
  return [
    both && down && { lane: "both", sign: "↓↑", label: "both ways", text: down },
    !both && { lane: "downlink", sign: "↓", label: "down", text: down || "unchanged" },
    !both && { lane: "uplink", sign: "↑", label: "up", text: up || "unchanged" },
    dns && { lane: "dns", sign: "?", label: "name queries", text: `DNS ${dns.startsWith("+") ? dns : `+ ${dns}`}` },
  ].filter(Boolean);
}

/**
 * A search field over a listbox of profiles, from mild to harsh. Arrow keys work in both; the field keeps the focus.
 *
 * @param {(name: string) => void} chosen
 */
export function makeList(chosen) {
  const list = el("ul", {
    id: "profiles", class: "profiles", role: "listbox", tabindex: "0", "aria-label": "Profiles, mild to harsh",
  });
  const search = el("input", {
    id: "search", type: "text", inputmode: "search", role: "combobox", autocomplete: "off", spellcheck: "false",
    placeholder: "Search", "aria-label": "Search profiles by name, figure or effect",
    "aria-controls": "profiles", "aria-expanded": "true", "aria-autocomplete": "list", "aria-keyshortcuts": "/",
  });
  const count = el("p", { class: "count muted", role: "status" });
  const node = el("div", { class: "finder" },
    el("div", { class: "search" }, search, el("kbd", { "aria-hidden": "true" }, "/")), count, list);
  const state = { profiles: [], shown: [], selected: "" };

  function filter() {
    const words = plain(search.value).split(/\s+/).filter(Boolean);
    state.shown = [];
    for (const option of list.children) {
      const fits = words.every((word) => option.searched.includes(word));
      if (option.hidden === fits) option.hidden = !fits;
      if (fits) state.shown.push(option);
    }
    const all = state.profiles.length;
    setText(count, words.length ? `${state.shown.length} of ${all}, mild to harsh` : `${all} profiles, mild to harsh`);
  }

  function select(name, scroll = true) {
    state.selected = name;
    let active;
    for (const option of list.children) {
      const is = option.profile === name;
      setAttr(option, "aria-selected", String(is));
      if (is) active = option;
    }
    for (const owner of [list, search]) setAttr(owner, "aria-activedescendant", active?.id);
    if (active && scroll) reveal(list, active);
  }

  function move(index) {
    const option = state.shown[Math.max(0, Math.min(state.shown.length - 1, index))];
    if (option) chosen(option.profile);
  }

  function onArrow(event) {
    const at = state.shown.findIndex((option) => option.profile === state.selected);
    const steps = {
      ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, PageDown: at + ROWS_OF_A_PAGE, PageUp: at - ROWS_OF_A_PAGE,
      ...(event.currentTarget === list ? { Home: 0, End: Infinity } : {}),
    };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(steps[event.key]);
  }

  search.addEventListener("input", filter);
  search.addEventListener("keydown", onArrow);
  // Enter applies what is chosen; while that is not among the found ones, it chooses the best of them.
  search.addEventListener("keydown", (event) => {
    const found = state.shown.some((option) => option.profile === state.selected);
    if (event.key !== "Enter" || found || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    move(best(state.shown, plain(search.value.trim())));
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || search.value === "") return;
    event.preventDefault();
    event.stopPropagation();
    search.value = "";
    filter();
  });
  list.addEventListener("keydown", onArrow);
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (option) chosen(option.profile);
  });
  return {
    node, search, select,
    /** Searches for these words, as if they had been typed. */
    find(words) {
      search.value = words;
      filter();
      search.focus();
    },
    /** Shows these profiles; the selection stays. */
    update(profiles) {
      // A profile that another one of its name hides cannot be applied by its name.
      state.profiles = profiles.filter((profile) => !profile.hiddenBy);
      keyed(list, state.profiles, (profile) => `${profile.name}\n${profile.file ?? ""}`, makeOption, drawOption);
      filter();
      select(state.selected);
    },
  };
}

/** The index of the option of that name, else of the first whose name begins so, else of the first. */
function best(options, words) {
  const names = options.map((option) => plain(option.profile));
  const exact = names.indexOf(words);
  return Math.max(0, exact >= 0 ? exact : names.findIndex((name) => name.startsWith(words)));
}

/** Scrolls the list, and never the page. */
function reveal(list, option) {
  const top = option.offsetTop, bottom = top + option.offsetHeight;
  if (top < list.scrollTop) list.scrollTop = top - 4;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + 4;
}

let made = 0;

function makeOption() {
  made += 1;
  return el("li", { id: `profile-${made}`, class: "option", role: "option", "aria-selected": "false" });
}

function drawOption(option, profile) {
  const drawn = JSON.stringify(profile);
  if (option.drawn === drawn) return;
  const rows = lines(profile);
  option.drawn = drawn;
  option.profile = profile.name;
  option.searched = plain([profile.name, profile.summary, profile.feels, ...rows.map((row) => row.text),
    profile.mine ? "own mine" : "", profile.hasFaults ? "faults" : ""].join(" "));
  option.style.setProperty("--harsh", profile.harshness ?? 0);
  const title = nameNode();
  setName(title, profile.name);
  option.replaceChildren(
    el("span", { class: "title" }, title, profile.mine && el("span", { class: "tag" }, "own"),
      profile.hasFaults && el("span", { class: "tag" }, "faults")),
    ...rows.map((row) => el("span", { class: `figures ${row.lane}` },
      row.sign && el("span", { class: "sign", "aria-hidden": "true" }, row.sign),
      row.label && el("span", { class: "unseen" }, `${row.label}: `),
      el("span", { class: "text", title: row.text }, row.text))));
}
