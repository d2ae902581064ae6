# SPDX-License-Identifier: Apache-2.0
"""The units for systemd: they must work with the rights that they name, and with none of them removed."""

import shlex
from pathlib import Path

import page
import units
from network import FAR, PLAIN, SLOW, milliseconds

# The lines of shell that are run here.
KNOWN = {("sudo", "systemctl"), ("linkcond", "status")}

INTERFACE = """\
{start}
echo "conditioned: $(ping -n -c 1 -W 3 {far})"
{status}
echo "pump: $(cat /proc/$(pgrep -x lc-pump)/status | awk '/^[UG]id/ {{ printf "%s ", $2 }}')"
systemctl kill --signal KILL linkcond@eth0
sleep 0.5
echo "killed: $(ping -n -c 1 -W 1 {far})"
systemctl restart linkcond@eth0
{frozen}
{stop}
echo "stopped: $(ping -n -c 1 -W 1 {far})"
echo "state: $(systemctl is-active linkcond@eth0) $(systemctl is-enabled linkcond@eth0)"
"""
# Its guardian asks every four seconds, three times.
FROZEN = """\
pkill -STOP -x lc-pump
for second in $(seq 25); do pgrep -x lc-pump >/dev/null || break; sleep 1; done
echo "frozen: $(pgrep -x lc-pump || echo none)"
"""
# systemd-nspawn has mounted /proc/sys read-only, which no machine has.
SUITE = """\
mount -o remount,bind,rw /proc/sys
{start}
echo "status: $?"
journalctl -o cat -u slow-net
ls /var/lib/slow-net/report
"""


def lines(verb: str, unit: str) -> str:
    found = [words for words in page.commands() if words[:3] == ["sudo", "systemctl", verb] and words[-1] == unit]
    return shlex.join(found[0])


def field(output: str, name: str) -> str:
    """What stands after "NAME: ", up to the next name."""
    after = output.partition(f"{name}: ")[2]
    return after.partition("\n\n---")[0] if after.startswith("PING") else after.partition("\n")[0]


def check_interface(output: str, network, thorough: bool) -> list:
    """What is wrong."""
    problems = []

    def round_trip(name: str) -> int:
        return milliseconds(output.partition(f"{name}: ")[2].partition("packets transmitted")[0])

    if round_trip("conditioned") not in SLOW:
        problems.append("the interface has no conditions")
    if "eth0: Slow Net (rule 1, traffic except on port 22" not in output:
        problems.append("status does not say so")
    identity = field(output, "pump").split()
    if len(identity) != 2 or "0" in identity:
        problems.append(f"lc-pump runs as {identity}")
    if round_trip("killed") not in PLAIN:
        problems.append("the interface does not fail open")
    if thorough and field(output, "frozen") != "none":
        problems.append("a frozen pump is not ended")
    if round_trip("stopped") not in PLAIN or network.state() != network.plain:
        problems.append("the interface was not restored")
    if field(output, "state") != "inactive disabled":
        problems.append("the unit has not stopped")
    return problems


def check(checks, recipes, linkcond, network, tests, work, thorough) -> None:
    names = ("linkcond@.service", "slow-net.service")
    for name in names:
        mistakes = units.verify(name, recipes[name])
        checks.expect(f"{name} by systemd-analyze", not mistakes, mistakes)
    commands = {
        "start": lines("enable", "linkcond@eth0"),
        "stop": lines("disable", "linkcond@eth0"),
        "status": shlex.join(next(words for words in page.commands() if words[:2] == ["linkcond", "status"])),
    }
    script = INTERFACE.format(far=FAR, frozen=FROZEN if thorough else "", **commands)

    def interface(unit: str) -> tuple:
        output = units.run(linkcond, network, {names[0]: unit}, tests, script)
        return check_interface(output, network, thorough), output

    def suite(unit: str) -> tuple:
        output = units.run(linkcond, network, {names[1]: unit}, tests, SUITE.format(start=lines("start", "slow-net")))
        good = field(output, "status") == "0" and milliseconds(output) in SLOW and "report.json" in output
        return [] if good else ["the tests did not run on Slow Net"], output

    for name, attempt in zip(names, (interface, suite)):
        problems, output = attempt(recipes[name])
        checks.expect(name, not problems, f"{problems}\n{output}")
        for right, unit in units.each_removed(recipes[name]) if thorough else ():
            checks.expect(f"{name}: needs {right}", bool(attempt(unit)[0]))
