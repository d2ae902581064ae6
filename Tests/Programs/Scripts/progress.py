# SPDX-License-Identifier: Apache-2.0
# What RunDisplayTests.swift does in a private world, one function a test.
import json

TITLE = r"\x1b\]2;[^\x07]*\x07"
STEPS = {
    "name": "Steps", "profile": {"name": "First", "downlink": {"delay": "1 ms"}},
    "steps": [{"label": "then", "after": "1 s", "profile": "Slow Net"}, {"label": "last", "after": "60 s", "profile": "3G"}],
}


def command(*words, kind="xterm"):
    with open("/tmp/steps.json", "w") as file:
        json.dump(STEPS, file)
    return CALLER + ["env", "TERM=" + kind, PROGRAM, "run", "--offline", *words]


def rest(terminal):
    """What comes until the terminal ends."""
    data = b""
    while True:
        try:
            data += os.read(terminal.master, 65536)
        except OSError:
            return terminal.text + data.decode()


def plain(text):
    """What the command itself has written."""
    return re.sub(r"\x1b\[2[23];2t|linkcond: note: [^\n]*\n|" + TITLE, "", text)


def showProgressInTheTitle():
    # A busy machine takes a second for three connections, or more.
    for seconds in 4, 20, 60:
        STEPS["steps"][0]["after"] = "%d s" % seconds
        words = ["--scenario", "/tmp/steps.json", "--timeout", "%ds" % HANG]
        server = "import socket, time; s = socket.create_server((\"127.0.0.1\", 1)); " \
            "[socket.create_connection(s.getsockname()) for _ in range(3)]; time.sleep(%d)" % (seconds + 1)
        terminal = Terminal(command(*words, "--", "sh", "-c", "echo one; python3 -c '%s'; echo two" % server))
        shown = terminal.expect(r"'then' in \d+ s, 3 connections, 0 packets lost, \d+ (s|min) left\x07|linkcond: then, ")
        if not shown.endswith("then, "):
            break
        rest(terminal)
    else:
        doubts.append("three connections took a minute")
        return
    shown += terminal.expect(r"linkcond: then, 'last' in (1 min|\d+ s), 3 connections")
    shown += rest(terminal)
    if plain(shown) != "one\r\ntwo\r\n":
        fail("the command's output is mixed with %r" % plain(shown))
    if shown.count("\x1b[22;2t") != 1 or not re.search(r"\x1b\]2;\x07\x1b\[23;2t", shown):
        fail("the title is not restored: %r" % shown)


def leaveAloneWhoReadsKeys():
    script = "stty -icanon; sleep 0.6; printf begin; sleep 1; printf end; stty icanon; sleep 0.6"
    terminal = Terminal(command("--expect", "exits with 0", "--", "sh", "-c", script))
    text = rest(terminal)
    if "beginend" not in text:
        fail("something is between in %r" % text)
    if "2;linkcond: no conditions" not in text:
        fail("nothing is shown after it: %r" % text)


def showNothing():
    script = "echo one; sleep 1; echo two"
    for kind, words in [
        ("dumb", ["--expect", "exits with 0"]), ("linux", ["--expect", "exits with 0"]),
        ("xterm", ["--expect", "exits with 0", "--progress", "none"]), ("xterm", ["Slow Net"]),
    ]:
        text = rest(Terminal(command(*words, "--", "sh", "-c", script, kind=kind)))
        if not plain(text).startswith("one\r\ntwo\r\n") or "\x1b" in text:
            fail("%s, %s: %r" % (kind, words, text))


def showALine():
    terminal = Terminal(command("Slow Net", "--progress", "line", "--", "sh", "-c", "sleep 2; exit 3"))
    terminal.expect(r"\rlinkcond: Slow Net, 0 connections, 0 packets lost, 1 s\x1b\[K")
    text = rest(terminal)
    if not text.endswith("\r\x1b[K"):
        fail("the line is left: %r" % text)


def showTheProgressOfEachRun():
    words = [PROGRAM, "matrix", "-p", "3G", "-p", "/tmp/steps.json", "--offline", "--", "sleep", "3"]
    command()
    terminal = Terminal(CALLER + words)
    terminal.expect(r"3G +running +[0-9.]+ m?s +3G, 0 connections, 0 packets lost, \d s")
    terminal.expect(r"Steps +running +[0-9.]+ m?s +then, 'last' in (1 min|\d+ s), 0 connections")
    rest(terminal)


def showTheTimeLeftOfASearch():
    words = [PROGRAM, "limits", "--vary", "loss=0..50%", "--offline", "--budget", "3m", "--", "sleep", "0.2"]
    command()
    terminal = Terminal(CALLER + words)
    terminal.expect(r"run 1 at [0-9.]+ %, at most 3 min left; limit")
    terminal.expect(r"run \d+ at [0-9.]+ %, about \d+ s left; limit")
    os.kill(terminal.process, signal.SIGINT)
    rest(terminal)


def fitTheTerminal(width):
    text = rest(Terminal(CALLER + [PROGRAM, "list", "--all"], size=(24, width)))
    lines = [re.sub(r"\x1b\[[0-9]*m", "", line) for line in text.split("\r\n")]
    if not any(line.startswith("  starlink-germany-stationary ") for line in lines):
        fail("a name is missing in %r" % lines[:60])
    # The names and the headings need more than 60.
    if max(map(len, lines)) > max(width, 80 if width < 80 else 0):
        fail("%r is wider than %d" % (max(lines, key=len), width))


def drawAsWideAsTheTerminal(width):
    text = rest(Terminal(CALLER + [PROGRAM, "show", "Starlink"], size=(24, width)))
    axes = [line for line in text.split("\r\n") if "└" in line]
    if [len(line) for line in axes] != [width - 1, width - 1]:
        fail("the axes are %r" % axes)
