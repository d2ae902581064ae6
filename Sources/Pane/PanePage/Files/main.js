// SPDX-License-Identifier: Apache-2.0

import { follow, get, persist } from "./api.js";
import { makeBus } from "./bus.js";
import { mount as mountChoose } from "./choose.js";
import { mount as mountConnections } from "./connections.js";
import { mount as mountHeader } from "./header.js";
import { mount as mountLive } from "./live.js";
import { mount as mountMonitor } from "./monitor.js";
import { mount as mountNotices } from "./notices.js";
import { mount as mountTests } from "./run.js";

const bus = makeBus();
const section = (id) => document.getElementById(id);
const failed = (error, again) => bus.emit("problem", error && { error, again });

new ResizeObserver(([entry]) => {
  document.documentElement.style.setProperty("--top", `${Math.ceil(entry.borderBoxSize[0].blockSize)}px`);
}).observe(section("top"));
mountNotices(section("notices"), bus);
bus.pane = await persist(() => get("/v1/pane"), failed);
document.body.classList.add(bus.pane.place);

if (bus.pane.place !== "report") {
  mountHeader(section("bar"), bus);
  mountChoose(section("choose"), bus);
  mountLive(section("live"), bus);
  mountConnections(section("connections"), bus);
  mountMonitor(section("monitor"), bus);
}
mountTests(section("tests"), bus);
if (bus.pane.place !== "report") follow((state) => bus.emit("live", state), failed);
