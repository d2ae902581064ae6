# SPDX-License-Identifier: Apache-2.0
"""Completes command lines in real shells on a terminal of their own, and says which of the expected words came.

completions.py PROGRAM DIRECTORY MISSING SHELL...     MISSING: shells that are not there, in one word
"""
import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

# What is typed after "linkcond ", and a word that must be offered or completed; "!" before one that must not.
CASES = [
    ("ru", "run"),
    ("", "containers"),
    ("", "!complete"),
    ("help exp", "expectations"),
    ("help sc", "scenarios"),
    ("run slow-n", "slow-net"),
    ("run very", "very-bad-network"),
    ("run black", "black-hole"),
    ("run mine", "mine-too"),
    ("run --offl", "--offline"),
    ("run 3g --expect 'leaves", "leaves no connection open"),
    ("run 3g --expect 'sends no", "sends no request twice"),
    ("run 3g --expect 'at most 3 ", "at most 3 connections"),
    ("run 3g --scenario nat", "nat-rebinding"),
    ("run 3g --scenario lif", "lift.json"),
    ("run --scenario ./lif", "lift.json"),
    ("run 3g --report rep", "reports/"),
    ("run 3g --report li", "!lift.json"),
    ("run 3g --rules ru", "rules.json"),
    ("run 3g --capture pac", "packets.pcapng"),
    ("run 3g --engine us", "userspace"),
    ("run 3g --user roo", "root"),
    ("run 3g -i l", "lo"),
    ("run 3g -- linkcond-hel", "linkcond-helper"),
    ("run 3g -- cat lif", "lift.json"),
    ("run 3g -- ./lif", "!--offline"),
    ("run --path wifi0=lt", "wifi0=lte"),
    ("run ./lif", "lift.json"),
    ("matrix 3g very", "very-bad-network"),
    ("matrix -p wi-fi-t", "wi-fi-to-cellular"),
    ("matrix 3g --sha", "--shard"),
    ("run 3g --repeat 9 --shard au", "auto"),
    ("limits --vary lo", "loss=0..50%"),
    ("limits --vary loss=0..50% dow", "!downlink.loss=0..50%"),
    ("explore 3g --only fa", "faults"),
    ("explore --without figu", "figures"),
    ("apply lte --interface l", "lo"),
    ("apply lte -i lo --facing pe", "peer"),
    ("apply 3g --netns lc-comp", "lc-completion"),
    ("switch edge-av", "edge-average"),
    ("edit min", "mine-too"),
    ("edit slow", "!slow-net"),
    ("import --from tox", "toxiproxy"),
    ("import thro", "throttle.json"),
    ("export 3g --to chao", "chaos-mesh"),
    ("show captive", "captive-portal"),
    ("validate lif", "lift.json"),
    ("judge 'attempts", "attempts back off"),
    ("verify --budg", "--budget"),
    ("pane --tok", "--token-file"),
    ("pane --report rep", "reports/"),
    ("pane --report li", "!lift.json"),
    ("monitor inter", "internet"),
]
STARTS = {
    # Without the user's own files.
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
}
PREPARATIONS = {
    "bash": "bind 'set show-all-if-ambiguous on' 'set bell-style none'; bind 'set page-completions off'; "
    "bind 'set completion-query-items 0'; bind 'set enable-bracketed-paste off'; PS1='rea''dy> '; source {script}",
    "zsh": "unsetopt beep prompt_sp list_beep auto_menu list_ambiguous; LISTMAX=9999; "
    "fpath=({functions} $fpath); autoload -Uz compinit && compinit -u -D; "
    "PS1='rea''dy> '",
}
PROMPT = b"ready> "
# Typed after TAB: when it is shown, the completion has ended.
END = "#END"


class Terminal:
    """A shell on a terminal of 200 columns and 500 rows, so that it need not wrap or ask."""

    def __init__(self, shell: str, environment: dict, directory: Path) -> None:
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe(STARTS[shell][0], STARTS[shell], environment)
        subprocess.run(["stty", "rows", "500", "columns", "200"], stdin=self.descriptor, check=True)

    def read(self, until: bytes, limit: float = 30) -> bytes:
        """What the shell writes, up to a text."""
        output, end = b"", time.monotonic() + limit
        while until not in output and time.monotonic() < end:
            ready, _, _ = select.select([self.descriptor], [], [], 1)
            if ready:
                try:
                    output += os.read(self.descriptor, 65536)
                except OSError:
                    break
        return output

    def type(self, text: str) -> None:
        os.write(self.descriptor, text.encode())

    def close(self) -> None:
        os.close(self.descriptor)
        os.waitpid(self.process, 0)


def plain(output: bytes) -> str:
    """The text without control sequences; a carriage return begins a line."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07", "", output.decode(errors="replace"))
    return re.sub(r".\x08", "", text.replace("\\ ", " "))


def typed(shell: str, environment: dict, directory: Path, scripts: Path) -> dict:
    """What stands on the terminal after TAB, for each case."""
    terminal = Terminal(shell, environment, directory)
    terminal.type(PREPARATIONS[shell].format(script=scripts / "linkcond.bash", functions=scripts) + "\n")
    terminal.read(PROMPT)
    shown = {}
    for line, _ in CASES:
        terminal.type(f"linkcond {line}\t")
        time.sleep(0.05)
        terminal.type(END)
        shown[line] = plain(terminal.read(END.encode()))
        # The line is left without being run.
        terminal.type("\x15\n")
        terminal.read(PROMPT)
    terminal.type("\x04")
    terminal.close()
    return shown


def asked(environment: dict, directory: Path, scripts: Path) -> dict:
    """What fish offers for each case, as it would at the TAB key."""
    lines = [f"source {scripts / 'linkcond.fish'}"]
    for line, _ in CASES:
        quoted = f"linkcond {line}".replace("\\", "\\\\").replace("'", "\\'")
        lines += [f"complete -C '{quoted}'", "echo ====="]
    output = subprocess.run(
        ["fish", "--no-config", "-c", "\n".join(lines)],
        cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ).stdout
    return dict(zip((line for line, _ in CASES), output.split("=====\n")))


def main() -> None:
    program, work, missing, *shells = sys.argv[1:]
    work = Path(work)
    directory, scripts, binaries, profiles = (work / name for name in ("here", "scripts", "bin", "profiles"))
    for folder in (directory / "reports", scripts, binaries, profiles / "linkcond/profiles"):
        folder.mkdir(parents=True)
    for name in ("lift.json", "rules.json", "packets.pcapng", "throttle.json"):
        (directory / name).write_text("{}")
    (profiles / "linkcond/profiles/mine-too.json").write_text('{"name": "Mine Too", "uplink": {"loss": "1 %"}}')
    (binaries / "linkcond").symlink_to(program)
    (binaries / "linkcond-helper").write_text("#!/bin/sh\n")
    (binaries / "linkcond-helper").chmod(0o755)
    for shell, name in (("bash", "linkcond.bash"), ("zsh", "_linkcond"), ("fish", "linkcond.fish")):
        script = subprocess.run([program, "--generate-completion-script", shell], check=True, stdout=subprocess.PIPE)
        (scripts / name).write_bytes(script.stdout)
    environment = {
        "PATH": f"{binaries}:{os.environ['PATH']}", "HOME": str(work), "XDG_CONFIG_HOME": str(profiles), "TERM": "xterm",
        "LC_ALL": "C.UTF-8", "ZDOTDIR": str(work),
    }
    # A namespace has only a name here, and needs root for that.
    has_namespace = os.geteuid() == 0
    if has_namespace:
        subprocess.run(["ip", "netns", "add", "lc-completion"], check=True)
    passed = failed = 0
    try:
        for shell in shells:
            if shell in missing.split():
                print(f"skipped {shell}: it is not installed, and cannot be")
                failed += len(CASES) if os.environ.get("LINKCOND_STRICT") else 0
                continue
            shown = asked(environment, directory, scripts) if shell == "fish" else typed(shell, environment, directory, scripts)
            for line, word in CASES:
                if "lc-completion" in word and not has_namespace:
                    continue
                is_fine = word[1:] not in shown[line].replace(f"linkcond {line}", "") if word[0] == "!" else word in shown[line]
                passed, failed = passed + is_fine, failed + (not is_fine)
                if not is_fine:
                    print(f"{shell}: linkcond {line}<TAB> gives no {word}:\n{shown[line][:600]}")
    finally:
        if has_namespace:
            subprocess.run(["ip", "netns", "delete", "lc-completion"], check=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
