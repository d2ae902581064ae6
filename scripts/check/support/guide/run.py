# SPDX-License-Identifier: Apache-2.0
"""Types the marked commands of the guide's pages, and compares what they print: run.py WORK [--show] [PAGE...]

In namespaces of its own: see scripts/check/guide."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from comparison import missing_line

ROOT = Path(__file__).resolve().parents[4]
GUIDE = ROOT / "Sources/Programs/linkcond/linkcond.docc"
BLOCK = re.compile(r"^<!-- (file|run): ([\w./-]+) -->\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LIMIT = 180


def make_network():
    """This network has eth0, as a machine has; at its other end another network answers."""
    for words in (["mount", "--make-rprivate", "/"], ["mount", "-t", "tmpfs", "none", "/run"]):
        subprocess.run(words, check=True)
    other = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
    time.sleep(0.5)
    there = ["nsenter", "--net", "--target", str(other.pid)]
    subprocess.run(["ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", str(other.pid)], check=True)
    for prefix, address in (([], "10.0.2.15/24"), (there, "10.0.2.2/24")):
        for words in ("link set lo up", f"address add {address} dev eth0", "link set eth0 up"):
            subprocess.run([*prefix, "ip", *words.split()], check=True)
    subprocess.run(["ip", "route", "add", "default", "via", "10.0.2.2"], check=True)


def commands(block):
    """Each command of a console block, and the lines that it shows."""
    found, continued = [], False
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append([line[2:].removeprefix("sudo "), []])
        elif continued:
            found[-1][0] += "\n" + line
        elif found:
            found[-1][1].append(line)
        continued = line.endswith("\\") and (continued or line.startswith("$ "))
    return found


class Shell:
    """One bash for a page, which prints a line of its own after each command."""

    def __init__(self, folder):
        environment = dict(os.environ, PATH=f"{sys.argv[1]}:{os.environ['PATH']}", HOME=str(folder), LANG="C.UTF-8", COLUMNS="80")
        self.process = subprocess.Popen(["bash"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        self.count = 0

    def type(self, command):
        """What it prints, and None if it did not end in time."""
        self.count += 1
        end = f"end of command {self.count}"
        # A busy machine starts a server late.
        command = re.sub(r"^sleep 1$", "sleep 5", command)
        # The status stays what it was, for "echo $?".
        words = f"{command}\n{{ status=$?; printf '\\n{end}\\n'; (exit $status); }} 2>&1\n"
        self.process.stdin.write(words.encode())
        self.process.stdin.flush()
        signal.alarm(LIMIT)
        lines = []
        try:
            for line in self.process.stdout:
                text = line.decode(errors="replace").rstrip("\n")
                if text == end:
                    break
                lines.append(text)
            else:
                return None
        except TimeoutError:
            return None
        finally:
            signal.alarm(0)
        return lines

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def check(page, folder, shows):
    """The number of commands that printed what the page shows, and of those that did not."""
    passed = failed = 0
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shell = Shell(folder)
    for kind, name, text in BLOCK.findall(page.read_text()):
        if kind == "file":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
            continue
        for command, shown in commands(text):
            printed = shell.type(command)
            missing = "an end" if printed is None else missing_line(shown, printed)
            passed, failed = passed + (missing is None), failed + (missing is not None)
            if shows or missing is not None:
                print(f"{page.name}: {name}: $ {command}")
                print("\n".join(f"  {line}" for line in printed or []))
            if missing is not None:
                print(f"{page.name}: {name}: not printed: {missing}")
            if printed is None:
                shell.end()
                return passed, failed
    shell.end()
    # What commands have left on the interface would be the next page's.
    subprocess.run([f"{sys.argv[1]}/linkcond", "reset", "--now"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return passed, failed


def expire(*_):
    raise TimeoutError


def main():
    work, *arguments = sys.argv[1:]
    shows = "--show" in arguments
    pages = [Path(word) for word in arguments if not word.startswith("-")]
    make_network()
    signal.signal(signal.SIGALRM, expire)
    passed = failed = 0
    for page in pages or [ROOT / "README.md", *sorted(GUIDE.glob("*.md"))]:
        if "<!-- run: " in page.read_text():
            each = check(page, Path(work) / "pages" / page.stem, shows)
            if each[1] > 0:
                # A machine that was busy made timers fire that never fire on an idle one.
                print(f"{page.name}: once more")
                each = check(page, Path(work) / "pages" / page.stem, shows)
            passed, failed = passed + each[0], failed + each[1]
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
