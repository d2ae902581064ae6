# SPDX-License-Identifier: Apache-2.0
"""Runs the suite in the network namespace that scripts/check/pane has made: run.py PROGRAM WORK [OPTION...]"""
import argparse
import pathlib
import sys
import zipfile

import appearance
import connections
import load
import measured
import names
import outages
import report
import sandbox
import switching
from checks import Checks
from chromium import Chromium
from user import User
from world import World

PARTS = ["switching", "firefox", "appearance", "names", "measured", "connections", "outages", "sandbox", "report", "load"]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--part", action="append", choices=PARTS)
    options = parser.parse_args()
    options.parts = ["switching"] if options.short else options.part or PARTS
    return options


def switch(world, checks, browser, short):
    pane = world.pane()
    tab = browser.tab()
    tab.resize(1280, 900)
    with checks.part(f"{tab.name}: the printed address"):
        tab.open(pane.address)
        tab.until("location.pathname + location.search === '/'", 10, "an address without a code")
        checks.check(f"{tab.name}: the code of the printed address is gone from it", True)
    for keyboard in (False,) if short else (False, True):
        user = User(tab, keyboard)
        with checks.part(user.name):
            switching.pass_of(world, checks, user, f"own-{tab.name.lower()}-{keyboard:d}")
        world.linkcond("reset")
    return pane, tab


def open_page(world, browser, *words):
    pane = world.pane(*words)
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    tab.pane = pane
    return tab


def axe(work):
    """The text of axe-core, from the package that scripts/check/pane has fetched."""
    package, = (work / "axe").glob("*.whl")
    with zipfile.ZipFile(package) as files:
        return files.read(next(each for each in files.namelist() if each.endswith("axe.min.js"))).decode()


def main():
    options = arguments()
    checks = Checks()
    world = World(str(options.program), options.work)
    log = open(options.work / "browsers.log", "wb")
    chromium = firefox = None
    try:
        chromium = Chromium(log)
        tabs, origins = [], []
        if "switching" in options.parts:
            pane, tab = switch(world, checks, chromium, options.short)
            tabs.append(tab), origins.append(pane.origin)
        if "firefox" in options.parts:
            from firefox import Firefox
            firefox = Firefox(log)
            pane, tab = switch(world, checks, firefox, options.short)
            tabs.append(tab), origins.append(pane.origin)
        if len(tabs) == 2:
            with checks.part("two panes agree"):
                switching.panes_agree(world, checks, *tabs)
        if tabs:
            with checks.part("changes in a terminal"):
                switching.follows_a_terminal(world, checks, tabs, 2 if options.short else 10)
        for tab, origin in zip(tabs, origins):
            switching.kept_to_itself(checks, tab, [origin])
        if "appearance" in options.parts:
            with checks.part("appearance"):
                tab = open_page(world, chromium)
                appearance.check(world, checks, tab, axe(options.work), options.screenshots)
                tab.close()
        if "names" in options.parts:
            with checks.part("hostile names"):
                names.check(world, checks, chromium)
        if "measured" in options.parts:
            with checks.part("asked beside measured"):
                measured.check(world, checks, chromium)
        if "connections" in options.parts:
            with checks.part("connections"):
                connections.check(world, checks, chromium)
        if "outages" in options.parts:
            with checks.part("outages"):
                outages.check(world, checks, chromium)
            with checks.part("the end of a pane"):
                outages.ends_clean(world, checks)
        if "sandbox" in options.parts:
            with checks.part("the pane of a run"):
                sandbox.check(world, checks, chromium)
        if "report" in options.parts:
            with checks.part("the report of a run"):
                report.check(world, checks, chromium)
        if "load" in options.parts:
            with checks.part("load"):
                load.check(world, checks, chromium, 600 if options.long else 60)
    finally:
        for browser in (chromium, firefox):
            if browser:
                browser.close()
        world.close()
    sys.exit(checks.end())


main()
