# SPDX-License-Identifier: Apache-2.0
"""The table of connections, with real ones: searched, sorted, frozen, and a rule for a row's peer."""
import json
import subprocess
import sys

from user import User

PORTS = {8443: 200, 9443: 2_000, 7443: 20_000}
SERVER = """
import asyncio, sys
async def read(reader, writer):
    while await reader.read(65536): pass
async def main():
    for port in sys.argv[1:]: await asyncio.start_server(read, "", int(port))
    print("ready", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
CLIENT = """
import socket, sys, time
one = socket.create_connection((sys.argv[1], int(sys.argv[2])))
while True:
    one.sendall(b"x" * int(sys.argv[3]))
    time.sleep(0.3)
"""
# The port of each row's peer, in the order of the table.
ROWS = """[...suite.find(['region'], 'Connections').querySelectorAll('tbody tr')]
    .filter(suite.seen).map((each) => Number(each.innerText.match(/192\\.0\\.2\\.2:(\\d+)/)?.[1])).filter(Boolean)"""


def check(world, checks, browser):
    processes = [world.at_far(sys.executable, "-c", SERVER, *map(str, PORTS))]
    pane = world.pane()
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    user = User(tab)
    user.until_off()
    try:
        world.linkcond("apply", "lte", "-i", world.INTERFACE)
        for port, size in PORTS.items():
            processes.append(subprocess.Popen([sys.executable, "-c", CLIENT, world.FAR, str(port), str(size)]))
        user.until_on("LTE")
        tab.evaluate("void suite.find(['region'], 'Connections').scrollIntoView()")
        tab.until(f"JSON.stringify({ROWS}.toSorted()) === '[7443,8443,9443]'", 10, "three connections")
        checks.check("connections are listed", True, f"after {tab.waited:.1f} s")
        first = json.dumps(str(processes[1].pid))
        tab.until(f"suite.find(['region'], 'Connections').innerText.includes({first})", 10, "the process")
        checks.check("with their processes", True)

        tab.click("button", "Seen")
        tab.until(f"JSON.stringify({ROWS}) === '[7443,9443,8443]'", 5, "sorted by bytes")
        tab.click("button", "Seen")
        tab.until(f"JSON.stringify({ROWS}) === '[8443,9443,7443]'", 5, "sorted the other way")
        checks.check("sorted either way", True)

        for words, found in {"port:9443": [9443], "seen:>1GB": [], "lost:>0": [], str(processes[3].pid): [7443]}.items():
            user.fill("Search connections", words)
            tab.until(f"JSON.stringify({ROWS}) === '{json.dumps(found)}'", 5, f"{found} for {words}")
        user.fill("Search connections", "port:many")
        user.complaint("Search connections", "is not a port")
        user.fill("Search connections", "state:open")
        tab.until(f"{ROWS}.length === 3", 5, "all")
        checks.check("searched, and a wrong word is said at the field", True)

        table = "suite.find(['region'], 'Connections').querySelector('tbody').innerText"
        tab.click("button", "Freeze")
        tab.until("suite.find(['button'], 'Frozen') !== null", 5, "frozen")
        before = tab.evaluate(table)
        tab.pause(2)
        checks.check("frozen", tab.evaluate(table) == before)
        tab.click("button", "Frozen")
        tab.until(f"{table} !== {json.dumps(before)}", 5, "a table that goes on")
        checks.check("and it goes on", True)

        tab.click("button", "Rule for just")
        tab.until("/192\\.0\\.2\\.2/.test(suite.find(['textbox'], 'To').value)", 5, "the peer in the field")
        words = user.command(world.FAR)
        checks.check("one click from a row to a rule for its peer", True, words)
    except Exception:
        print(tab.evaluate("suite.find(['region'], 'Connections').innerText")[:600], tab.evaluate(ROWS), flush=True)
        raise
    finally:
        for each in processes:
            each.kill()
            each.wait()
        world.linkcond("reset")
    tab.close()
    pane.kill()
