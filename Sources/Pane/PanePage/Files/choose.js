// SPDX-License-Identifier: Apache-2.0

import { get, persist } from "./api.js";
import { makeApply } from "./apply.js";
import { el, say } from "./dom.js";
import { Draft } from "./draft.js";
import { onKey } from "./header.js";
import { makeList } from "./list.js";
import { makeProblems } from "./problems.js";
import { makeProfile } from "./profile.js";
import { makeWhere } from "./where.js";

/** What is shown before anything has been chosen or is on. */
const FIRST = "3G";

/** Search and list, then one profile large: figures, drawings, words, where, and the bar that applies. */
export function mount(section, bus) {
  const draft = new Draft();
  const list = makeList((name) => draft.choose(name));
  const where = bus.pane.place === "host" || !bus.pane.place ? makeWhere(draft) : null;
  const problems = makeProblems();
  const apply = makeApply(draft, bus, problems);
  const profile = makeProfile(draft, problems, load);
  problems.places = { figures: profile.figures, where, apply };
  section.append(list.node, el("div", { class: "chosen" }, profile.node, where?.node ?? "", apply.node));
  let profiles = [];

  async function load(choose) {
    const answer = await persist(() => get("/v1/profiles"), (error) => problems.problem("list", error));
    profiles = answer.profiles;
    list.update(profiles);
    if (choose) draft.choose(choose);
    draw();
    begin(draft, bus.live, profiles);
  }
  function draw() {
    list.select(draft.profile);
    profile.draw(profiles.find((one) => one.name === draft.profile));
    where?.draw();
  }
  draft.on(draw);
  bus.on("profiles", () => load());
  bus.on("live", (live) => {
    where?.update(live);
    begin(draft, live, profiles);
  });
  bus.on("pick", (traffic) => pick(draft, traffic, profile.figures, list));
  // Another pane or a terminal may have saved a profile meanwhile.
  document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
  listenForKeys(section, list, apply);
  load();
}

/** Begins with what is on, else with a profile that shows what a page is for. */
function begin(draft, live, profiles) {
  if (!live || profiles.length === 0 || draft.profile && draft.values.where) return;
  const [rule] = live.rules ?? [];
  const name = [rule?.profile, FIRST, profiles[0].name].find((each) => profiles.some((one) => one.name === each));
  const usual = live.interfaces?.find((one) => one.up && !one.loopback) ?? live.interfaces?.[0];
  const device = rule?.interface ?? usual?.name;
  if (!draft.profile) draft.assume({ profile: name });
  if (!draft.values.where && device) draft.assume({ where: `interface:${device}` });
}

/** Takes over traffic that another part of the page has picked: a connection's peer. */
function pick(draft, traffic, figures, list) {
  if (traffic.interface) draft.set("where", `interface:${traffic.interface}`);
  for (const key of ["to", "port", "exclude"]) draft.set(key, [traffic[key] ?? []].flat().join(", "));
  draft.set("protocol", [traffic.protocol ?? []].flat());
  if (traffic.profile) draft.choose(traffic.profile);
  say(`The next rule is for ${[traffic.to, traffic.port && `port ${traffic.port}`].flat().filter(Boolean).join(", ")}`);
  // Faults are part of profiles: those that have some are offered.
  if (traffic.fault) list.find("faults");
  else figures.focus();
}

/** Enter applies, Escape drops, a slash searches. */
function listenForKeys(section, list, apply) {
  onKey("/", () => list.search.focus());
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const inside = target === document.body || section.contains(target);
    if (!inside || event.isComposing || event.repeat || event.defaultPrevented) return;
    if (event.key === "Escape") apply.drop();
    if (event.key === "Enter" && !target.closest("button, a, summary, select, [type=checkbox]")) {
      event.preventDefault();
      apply.apply();
    }
  });
}
