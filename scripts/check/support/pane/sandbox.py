# SPDX-License-Identifier: Apache-2.0
"""The pane of a run: shows its sandbox, switches its conditions, marks, and saves what repeats it."""
import re
import statistics
import tarfile
import time

from switching import ROUND_TRIP, is_near
from user import User
from world import Pane, run

# Pings the sandbox's own loopback, which has the link, until it is killed.
COMMAND = "exec ping -n -i 0.2 127.0.0.1 >{file}"
OTHER, OTHER_ROUND_TRIP = "3G", 203


def newest(file):
    """The median of the last round trips."""
    times = re.findall(r"time=([0-9.]+) ms", file.read_text())[-5:]
    return statistics.median(map(float, times)) if times else None


def check(world, checks, browser):
    file = world.work / "pings"
    words = [world.program, "run", "--offline", "--pane", "slow-net", "--", "sh", "-c", COMMAND.format(file=file)]
    pane = Pane(words, world.environment, world.work)
    world.panes.append(pane)
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    user = User(tab)
    user.until_on("Slow Net")
    tab.pause(2)
    checks.check("a run's pane shows its conditions", is_near(newest(file), ROUND_TRIP), f"{newest(file)} ms")
    user.choose(OTHER)
    user.apply()
    user.until_on(OTHER)
    tab.pause(2)
    found = newest(file)
    checks.check("a run's pane switches them", is_near(found, OTHER_ROUND_TRIP), f"{found} ms")
    user.fill("Name of the mark", "paid")
    user.do("Mark")
    tab.until("suite.find(['region'], 'Tests').textContent.includes('paid')", 5, "the mark")
    checks.check("a mark is on the timeline", True)
    checks.check("no message on the console", not tab.messages, tab.messages[:3])
    archive(world, checks, tab)
    tab.close()
    pane.kill()


def archive(world, checks, tab):
    folder = world.work / "downloads"
    folder.mkdir()
    tab.downloads(folder)
    tab.click(["link", "button"], "Save what repeats this")
    end = time.monotonic() + 15
    while not (files := list(folder.glob("*.tar"))) and time.monotonic() < end:
        tab.pause(0.1)
    if not checks.check("what repeats the run is downloaded", files, wrong="nothing within 15 s"):
        return
    with tarfile.open(files[0]) as archived:
        names = archived.getnames()
    checks.check("it has a scenario, and its command line", {"scenario.json", "command.txt"} <= set(names), names)
    done = run(world.program, "run", "--offline", "--scenario", str(files[0]), "--", "true", env=world.environment)
    checks.check("run --scenario takes it", done.returncode == 0,
                 wrong=f"status {done.returncode}: {done.stderr[-300:]}")
