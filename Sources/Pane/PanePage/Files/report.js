// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";

/** A run's report in a frame that fills the page: its scripts run there without this page's cookie and API. */
export function mount(section) {
  const main = section.closest("main");
  document.body.classList.add("framed");
  // Of a link that there is none to ask about.
  document.getElementById("bar").replaceChildren();
  main.replaceChildren(el("h1", { class: "unseen" }, "linkcond: the report of a run"), el("iframe", {
    class: "frame", src: "/report/report.html", sandbox: "allow-scripts", title: "Report of a run",
    referrerpolicy: "no-referrer",
  }));
}
