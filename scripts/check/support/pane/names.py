# SPDX-License-Identifier: Apache-2.0
"""Names of profiles, processes and hosts that others chose: the page shows them as text."""
import json
import pathlib
import socket
import subprocess
import sys

from user import User

MARKUP = "<img src=x onerror=alert(1)><b id=hostile>x"
TEXT = "</p><script>alert(2)</script><b id=hostile>x</b>"
LONG = "L" * 10_000
# Profiles that the program takes: name, summary and source.
TAKEN = {"markup": (MARKUP, TEXT), "long": ("L" * 100, LONG),
         "hebrew": ("\u05e9\u05dc\u05d5\u05dd <b id=hostile>", TEXT),
         "quotes": ("\"'`&amp; ${alert(3)}", "\"'`&amp;</title>${alert(3)}")}
# Those that it refuses must not take the others with them.
REFUSED = {"longer": (LONG, "x"), "reversed": ("\u202egnp.exe\u2067 \u200fabc", "x"), "path": (TEXT, "x")}

PROCESS, HOST = "<s id=hostile>", "<u id=hostile>far"
# The pump learns the names of peers from the DNS answers that it carries: this one gives the far host's name.
RESOLVER = """
import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("", 53))
print("ready", flush=True)
while True:
    query, client = server.recvfrom(512)
    record = bytes([192, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]) + socket.inet_aton(sys.argv[1])
    server.sendto(query[:2] + bytes([129, 128, 0, 1, 0, 1, 0, 0, 0, 0]) + query[12:] + record, client)
"""
# A client whose name is markup, as a process's name and command line are its own to choose.
CLIENT = """
import socket, sys, time
open("/proc/self/comm", "w").write(sys.argv[3])
one = None
while not one:
    try:
        one = socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=2)
    except OSError:
        time.sleep(0.1)
while True:
    one.sendall(b"x" * 500)
    time.sleep(0.2)
"""
SERVER = """
import socket, threading
def read(each):
    while each.recv(65536): pass
server = socket.create_server(("", 8443))
print("ready", flush=True)
while True:
    threading.Thread(target=read, args=(server.accept()[0],), daemon=True).start()
"""


def write_profiles(world):
    """As a user who takes profiles from elsewhere has them."""
    directory = pathlib.Path(world.environment["HOME"]) / ".config/linkcond/profiles"
    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for file, (name, text) in (TAKEN | REFUSED).items():
        files.append(directory / f"{file}.json")
        profile = {"name": name, "summary": text, "source": text, "downlink": {"delay": "10 ms"}}
        files[-1].write_text(json.dumps(profile))
        done = subprocess.run([world.program, "validate", str(files[-1])], capture_output=True, env=world.environment)
        if (done.returncode == 0) != (file in TAKEN):
            raise AssertionError(f"validate {files[-1]}: status {done.returncode}: {done.stderr.decode()[:300]}")
    return files


def ask(server, name):
    """Asks for the address of a name that is one label."""
    label = name.encode()
    question = bytes([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, len(label)]) + label + bytes([0, 0, 1, 0, 1])
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.sendto(question, (server, 53))
        client.recv(512)


def check(world, checks, browser):
    files = write_profiles(world)
    server = world.at_far(sys.executable, "-c", SERVER)
    resolver = world.at_far(sys.executable, "-c", RESOLVER, world.FAR)
    client = None
    try:
        pane = world.pane()
        tab = browser.tab()
        tab.resize(360, 740)
        tab.open(pane.address)
        user = User(tab)
        user.until_off()
        world.linkcond("apply", MARKUP, "-i", world.INTERFACE)
        client = subprocess.Popen([sys.executable, "-c", CLIENT, world.FAR, "8443", PROCESS], stdin=subprocess.DEVNULL)
        # The table asks for connections while it is in view.
        tab.evaluate("void suite.find(['region'], 'Connections').scrollIntoView()")
        tab.pause(2)
        ask(world.FAR, HOST)
        tab.pause(2)
        shown = tab.evaluate("document.body.textContent")
        for file, (name, _) in TAKEN.items():
            checks.check(f"the name of a profile ({file}) is shown as text", name in shown,
                         wrong=f"'{name}' is not in the page")
        checks.check("a hostile process name is shown as text", PROCESS in shown, wrong="not in the page")
        checks.check("a hostile host name is shown as text", HOST in shown, wrong="not in the page")
        elements = tab.evaluate("document.querySelectorAll('#hostile, img[src=x], body script, [onerror]').length")
        checks.check("no element comes from a name", elements == 0, wrong=f"{elements} elements")
        checks.check("no alert", not tab.dialogs, tab.dialogs)
        wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        checks.check("10,000 letters do not widen the page at 360 pixels", wide <= 0, wrong=f"{wide} pixels")
        tall = tab.evaluate("suite.find(['banner'], '').getBoundingClientRect().height")
        checks.check("10,000 letters do not fill the top bar", tall < 370, f"{tall:.0f} of 740 pixels")
        checks.check("the tab's title has a name with markup as text", "<img" in tab.title(), tab.title())
        turned = tab.evaluate("""[...document.querySelectorAll("body *")].filter((each) => each.children.length === 0
            && /[\\u202a-\\u202e\\u2066-\\u2069\\u200f]/.test(each.textContent) && suite.seen(each)
            && !["isolate", "isolate-override", "plaintext"].includes(getComputedStyle(each).unicodeBidi))
            .map((each) => `${each.localName}.${each.className}: ${each.textContent.slice(0, 30)}`).slice(0, 3)""")
        checks.check("a name that turns the direction turns nothing around it", not turned, turned)
        checks.check("hostile names leave no message on the console", not tab.messages, tab.messages[:3])
        tab.close()
        pane.kill()
    finally:
        for each in (client, server, resolver):
            if each:
                each.kill()
                each.wait()
        for each in files:
            each.unlink()
        subprocess.run([world.program, "reset"], env=world.environment, capture_output=True)
