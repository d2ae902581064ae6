# SPDX-License-Identifier: Apache-2.0
"""A server that stands still or ends, a device that goes: said, and the page goes on."""
import signal
import subprocess
import time

from user import User
from world import must

# The page's own words, in any case.
SAID = "/does not answer|not answering|no answer|lost|gone|old|stale|reconnect/i.test({})"
ALERT = ("[...document.querySelectorAll('[role=alert], [role=status]')].filter(suite.seen)"
         ".map((each) => each.innerText).join(' ')")


def check(world, checks, browser):
    pane = world.pane()
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    user = User(tab)
    user.until_off()
    user.choose("Slow Net")

    pane.signal(signal.SIGSTOP)
    with checks.part("a pane that stands still is said"):
        tab.until(SAID.format(ALERT), 20, "that linkcond does not answer")
        checks.check("a pane that stands still is said", True, f"after {tab.waited:.1f} s")
    with checks.part("while it stands still, the page takes input"):
        user.fill("Delay, down", "300 ms")
        user.unapplied()
        checks.check("while it stands still, the page takes input", True)
    pane.signal(signal.SIGCONT)
    with checks.part("a pane that goes on is seen"):
        tab.until(f"!{SAID.format(ALERT)}", 20, "that linkcond answers again")
        checks.check("a pane that goes on is seen", True, f"after {tab.waited:.1f} s")
        checks.check("what was typed is still there", user.value("Delay, down") == "300 ms", user.value("Delay, down"))
        world.linkcond("apply", "slow-net", "-i", world.INTERFACE)
        user.until_on("Slow Net")
        world.linkcond("reset")
        user.until_off()
        checks.check("it follows the terminal again", True)

    with checks.part("a device that goes"):
        must("ip", "link", "add", "gone0", "type", "veth", "peer", "name", "gone1")
        must("ip", "link", "set", "gone0", "up")
        world.linkcond("apply", "slow-net", "-i", "gone0")
        user.until_on("Slow Net")
        must("ip", "link", "del", "gone0")
        tab.until("!suite.find(['banner'], '').innerText.includes('on gone0')"
                  " || /gone0[^]*(gone|no such|not there|missing)/i.test(document.body.innerText)", 10,
                  "that the device has gone")
        checks.check("a device that goes is said", True, f"after {tab.waited:.1f} s")
        subprocess.run([world.program, "reset", "--now"], env=world.environment, capture_output=True)

    messages = list(tab.messages)
    checks.check("nothing of that is an error of the page", not messages, messages[:3])
    pane.kill()
    with checks.part("a pane that has ended is said"):
        tab.until(SAID.format(ALERT), 20, "that linkcond has ended")
        checks.check("a pane that has ended is said", True, f"after {tab.waited:.1f} s")
        start = time.monotonic()
        asked = len(tab.requests)
        tab.pause(5)
        rate = (len(tab.requests) - asked) / (time.monotonic() - start)
        checks.check("the page does not hammer a pane that has ended", rate < 10, f"{rate:.1f} requests a second")
    tab.close()


def ends_clean(world, checks):
    """Ctrl-C ends the pane, leaves the conditions, and leaves nothing else."""
    pane = world.pane()
    world.linkcond("apply", "slow-net", "-i", world.INTERFACE)
    start = time.monotonic()
    pane.signal(signal.SIGINT)
    try:
        status = pane.process.wait(5)
    except subprocess.TimeoutExpired:
        status = "still running"
    took = time.monotonic() - start
    checks.check("Ctrl-C ends the pane", status in (0, 130, -2), f"status {status} after {took:.1f} s")
    checks.check("the conditions stay", (world.ping(3)[0] or 0) > 200)
    world.linkcond("reset")
