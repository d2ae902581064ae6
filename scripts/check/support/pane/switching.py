# SPDX-License-Identifier: Apache-2.0
"""Switches on, measures, edits, saves, switches off: what a user does, and what the link then is."""
import json
import shlex
import time

from user import OFF, SUSPENDED, User, shows
from world import Lateness, run

PROFILE = "Slow Net"
# Two times 100 ms, and two times 98 bytes at 32 kbit/s.
ROUND_TRIP = 249
MORE = 200  # ms, of the edited delay of 300 ms
# A busy machine makes a packet late, never early.
EARLY, LATE = 3, 30
WITHIN = 1.0  # s, from the end of a command to what the page says
# linkcond, the browser's network and the page wait for a processor, one after the other.
WAITING = 3


def is_near(found, expected):
    return found is not None and expected - EARLY <= found <= expected + LATE


def pass_of(world, checks, user, own):
    """One pass through the page; `own` is the name under which it saves."""
    name, tab, where = user.name, user.tab, world.INTERFACE
    user.until_off()
    user.choose(PROFILE)
    user.place(where)
    user.unapplied()
    words = user.command(PROFILE, where)
    checks.check(f"{name}: the command line is one that the program takes",
                 run(world.program, *shlex.split(words)[1:], "--dry-run", env=world.environment).returncode == 0, words)
    tab.until(f"document.body.innerText.includes('{ROUND_TRIP} ms')", 10, "what a ping will take")
    drawn = "[...document.querySelectorAll('[role=img]')].some((each) => /\\d/.test(each.ariaLabel ?? ''))"
    checks.check(f"{name}: the profile is drawn before it is applied", tab.until(drawn, 10, "a drawing"))
    checks.check(f"{name}: nothing is applied before", is_near(world.ping(3)[0], 0))
    user.apply()
    user.until_on(PROFILE)
    found, _ = world.ping()
    checks.check(f"{name}: on, and a ping takes as long as the page says", is_near(found, ROUND_TRIP), f"{found} ms")

    user.fill("Delay, down", "300 ms")
    user.unapplied()
    user.command("300 ms")
    checks.check(f"{name}: an edit is not applied before Apply", is_near(world.ping(3)[0], ROUND_TRIP))
    user.apply()
    tab.until("!document.body.innerText.toLowerCase().includes('unapplied')", 10, "applied")
    found, _ = world.ping()
    checks.check(f"{name}: an edited figure is measured", is_near(found, ROUND_TRIP + MORE), f"{found} ms")

    wrong_figure(world, checks, user)
    user.do("Save as my own")
    user.fill("Name of the new profile", own)
    user.tab.press("Enter") if user.keyboard else tab.click("button", "Save")
    tab.until(tab.found("option", own) + " !== null || "
              f"document.body.innerText.toLowerCase().includes({json.dumps('saved ' + own)})", 10, "saved")
    saved = json.loads(world.linkcond("show", own, "--json"))
    saved = saved[0] if isinstance(saved, list) else saved
    checks.check(f"{name}: saved as one's own, with the edit", saved["downlink"]["delay"] == "300 ms",
                 wrong=saved)

    user.switch("Off")
    user.until_suspended()
    found, _ = world.ping(3)
    checks.check(f"{name}: Off, and a ping takes no time", is_near(found, 0), f"{found} ms")
    user.switch("On")
    user.until_on(PROFILE)
    found, _ = world.ping()
    checks.check(f"{name}: On brings it back, with the edit", is_near(found, ROUND_TRIP + MORE), f"{found} ms")
    user.do("Reset")
    user.until_off()
    checks.check(f"{name}: Reset", is_near(world.ping(3)[0], 0))


def wrong_figure(world, checks, user):
    """The command line's own message, at the field, and nothing applied."""
    before = conditions(world)
    user.fill("Delay, down", "1 furlong")
    message = user.complaint("Delay, down", "1 furlong")
    told = run(world.program, "apply", PROFILE, "-i", world.INTERFACE, "--downlink", "delay=1 furlong", "--dry-run",
               env=world.environment).stderr
    line = told.splitlines()[0].removeprefix("Error: ").removeprefix("linkcond: ") if told else ""
    checks.check(f"{user.name}: a wrong figure gets the command line's message at its field",
                 line and (line in message or message in told), wrong=f"page '{message}', command line '{line}'")
    user.apply() if user.keyboard else user.tab.press("Enter")
    user.tab.pause(0.5)
    checks.check(f"{user.name}: nothing wrong is applied", conditions(world) == before)
    user.drop()
    found = user.tab.until("suite.find(['textbox'], 'Delay, down').value === '300 ms'", 5, "the applied figure")
    checks.check(f"{user.name}: dropped changes leave what is on", found)


def conditions(world):
    """What is on, without counters."""
    text = json.loads(world.linkcond("status", "--json"))
    keep = ("profile", "downlink", "uplink", "dns", "interface", "rule", "lanes", "conditions", "lane")

    def kept(value):
        if isinstance(value, dict):
            return {name: kept(each) for name, each in value.items() if name in keep}
        return [kept(each) for each in value] if isinstance(value, list) else value

    return kept(text)


def follows_a_terminal(world, checks, tabs, times):
    """What a terminal changes is on each page within a second of the end of the command."""
    users = [User(tab) for tab in tabs]
    changes = [(["apply", PROFILE, "-i", world.INTERFACE], shows(PROFILE), "apply"), (["off"], SUSPENDED, "off"),
               (["on"], shows(PROFILE), "on"), (["reset"], OFF, "reset")]
    late = {(user.tab.name, word): [] for user in users for _, _, word in changes}
    for _ in range(times):
        for words, test, word in changes:
            with Lateness() as lateness:
                for user in users:
                    user.observe(test)
                world.linkcond(*words)
                end = time.time()
                found = [user.observed() - end for user in users]
            for user, each in zip(users, found):
                late[user.tab.name, word].append((max(each, 0), lateness.most))
    for (name, word), each in late.items():
        wrong = [f"{took:.2f} s, machine late by {machine:.2f} s" for took, machine in each
                 if took > WITHIN + WAITING * machine]
        took = sorted(seconds for seconds, _ in each)
        checks.check(f"{name}: {word} in a terminal is on the page within a second", not wrong,
                     "; ".join(wrong) or f"{times} times, median {took[len(took) // 2]:.2f} s, most {took[-1]:.2f} s")


def panes_agree(world, checks, one, other):
    """A change in one pane is what the other shows."""
    first, second = User(one), User(other)
    first.choose(PROFILE)
    first.place(world.INTERFACE)
    first.apply()
    for user in (first, second):
        user.until_on(PROFILE)
    second.switch("Off")
    for user in (first, second):
        user.until_suspended()
    first.switch("On")
    for user in (first, second):
        user.until_on(PROFILE)
    second.do("Reset")
    for user in (first, second):
        user.until_off()
    checks.check("two panes agree: on, off, on, reset, each in one and seen in both", True)


def kept_to_itself(checks, tab, origins):
    """Nothing on the console, and no request to anything but the pane."""
    checks.check(f"{tab.name}: no message on the console", not tab.messages, tab.messages[:5])
    # A wrong figure is answered by 422, which the browser itself notes.
    other = [each for each in tab.refusals if " 422 " not in each]
    checks.check(f"{tab.name}: no refused request but for wrong figures", not other, other[:5])
    foreign = [each for each in tab.requests if not each.startswith(("data:", *(f"{each}/" for each in origins)))]
    checks.check(f"{tab.name}: no request to anything but the pane", tab.requests and not foreign,
                 foreign[:5] or f"{len(tab.requests)} requests")
