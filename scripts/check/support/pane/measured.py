# SPDX-License-Identifier: Apache-2.0
"""Asked beside measured: half the rate, made by tc beneath a rule, is said."""
import sys
import time

from world import must

RATE = "2 Mbit/s"
HALF = "1mbit"
WITHIN = 5  # s
LANE = "section.lane.downlink"

# Twice what is asked, so that packets wait.
SENDER = """
import socket, sys, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("ready", flush=True)
start, sent = time.monotonic(), 0
while True:
    while sent * 1000 * 8 < (time.monotonic() - start) * 4e6:
        sender.sendto(b"x" * 1000, (sys.argv[1], 9000))
        sent += 1
    time.sleep(0.002)
"""


def check(world, checks, browser):
    pane = world.pane()
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    world.linkcond("apply", "--downlink", f"rate={RATE},queue=100 ms", "-i", world.INTERFACE)
    sender = world.at_far(sys.executable, "-c", SENDER, world.NEAR)
    try:
        words = f"document.querySelector('{LANE}')?.innerText ?? ''"
        tab.until(f"/✓ as asked/.test({words})", 10, "a rate as asked")
        checks.check("a rate that holds is as asked", True, f"after {tab.waited:.1f} s")
        tab.pause(3)
        device = tab.evaluate(f"document.querySelector('{LANE} h3').title").removeprefix("device ")
        shape = ["netem", "rate", HALF] if "netem" in must("tc", "qdisc", "show", "dev", device) else \
            ["tbf", "rate", HALF, "burst", "5k", "latency", "100ms"]
        start = time.monotonic()
        must("tc", "qdisc", "replace", "dev", device, "root", *shape)
        tab.until(f"/\\n(9\\d\\d kbit|1(\\.[01]\\d*)? Mbit)\\/s\\nasked 2 Mbit/.test({words})", WITHIN,
                  "half the rate beside what is asked")
        tab.until(f"/▼ below/.test({words}) && /of 2(\\.\\d+)? Mbit.s while packets waited/.test({words})",
                  WITHIN, "a rate below what is asked")
        took = time.monotonic() - start
        checks.check(f"half the rate, by {shape[0]} beneath the rule, is said within {WITHIN} s", took <= WITHIN,
                     f"after {took:.1f} s")
    except Exception:
        print(f"the lane: {tab.evaluate(words)!r}", flush=True)
        raise
    finally:
        sender.kill()
        sender.wait()
        world.linkcond("reset")
    tab.close()
    pane.kill()
