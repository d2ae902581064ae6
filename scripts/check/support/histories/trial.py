# SPDX-License-Identifier: Apache-2.0
# Carries a history out in a network, and compares that with the model after each step.
import collections, json, os, re, shlex, signal, socket, subprocess, tempfile, time

import model, steps
from world import PATIENCE, World, processes, shell

counts = collections.Counter()
LANES = {"Slow Net": {"dns", "uplink", "downlink"}, "LTE": {"uplink", "downlink"}, "Wi-Fi": {"uplink", "downlink"},
         "Black Hole": {"downlink"}}
# A usage error, no such rule, a feature that is missing, and busy.
REFUSED = {64, 66, 69, 75}


class Violation(Exception):
    pass


class HistoryWorld(World):
    DEVICES = "near0 far0 lo"

    def __init__(self, program, engine):
        super().__init__(program, engine, "near0")
        # What the kernel holds for the same rules, as it was found first.
        self.known = {}

    def kernel_of(self, device):
        """What the kernel holds for one interface."""
        text = shell("""ip -d link show dev %s; tc qdisc show dev %s
            for hook in ingress egress; do tc filter show dev %s $hook; done
            for device in /sys/class/net/lc%dr*; do [ -e $device ] || continue
                ip -d link show dev ${device##*/}; tc qdisc show dev ${device##*/}
            done""" % (device, device, device, socket.if_nametoindex(device)))
        # A filter's cookie has the rule's number. A TAP device keeps the MTU that loopback had when it was made.
        text = re.sub(r"\b(cookie \w{16})\w\w", r"\1##", text)
        return self.kept(re.sub(r"(\blc1r\w+: .* mtu) \d+", r"\1 #", text))


class Attempt:
    """A command that runs, or has run."""

    def __init__(self, world, command):
        counts["commands"] += 1
        self.command, self.number = command, counts["commands"]
        self.words = [world.program] + shlex.split(steps.arguments(command, world.engine))
        self.started = "/run/started-%d" % self.number
        if command.verb == "run":
            at = self.words.index("--") + 1
            self.words[at:] = ["sh", "-c", "echo >%s; exec sleep 1000" % self.started]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors)
        self.begin = time.monotonic()

    def is_running(self):
        """Whether it is a `run` whose command has started, and has not ended."""
        return self.process.poll() is None and os.path.exists(self.started)

    def is_over(self):
        return self.process.poll() is not None or self.command.verb == "run" and os.path.exists(self.started)

    def said(self):
        self.errors.seek(0)
        return self.errors.read().strip()


class Trial:
    def __init__(self, world, history):
        self.world, self.history = world, history
        self.states = {name: {model.BLANK} for name in world.DEVICES.split()}
        self.runs, self.notes = [], []
        # Whether the last step was one that was checked, so that nothing is left to repair.
        self.was_checked = True

    def run(self):
        """Why it fails; None if it does not."""
        step = None
        try:
            for index, step in enumerate(self.history):
                self.perform(step)
                if step.checked:
                    self.check()
                self.was_checked = step.checked
            step = "the end"
            for run in list(self.runs):
                self.end(run, "ends")
            self.check()
            self.reset()
            return None
        except Violation as violation:
            where = step if isinstance(step, str) else " ".join(steps.words(step, self.world.engine))
            return "after %s: %s%s" % (where, violation, "".join("; status: " + each for each in self.notes[-3:]))
        except subprocess.TimeoutExpired as violation:
            return str(violation)
        finally:
            for run in self.runs:
                run.process.kill()
            for each in processes(("sleep", "lc-supervisor")):
                self.kill(each)
            self.world.clear()

    def kill(self, process, number=signal.SIGKILL):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass

    def is_alive(self, number):
        return any(run.number == number and run.is_running() for run in self.runs)

    def reset(self):
        code, _, errors = self.world.linkcond("reset")
        if code:
            raise Violation("reset: %d, %s" % (code, errors.strip()))
        self.require_nothing()

    def require_nothing(self):
        if not self.world.until(lambda: not self.world.left()):
            raise Violation("left after reset: %s" % self.world.left())

    def perform(self, step):
        if step.commands:
            self.perform_commands(step.commands)
        elif step.wait:
            time.sleep(step.wait)
        elif step.end:
            if self.runs:
                self.end(self.runs[0], step.end)
        else:
            self.kill_one(step.victim)

    def kill_one(self, share):
        victims = sorted(processes(("lc-guardian", "lc-standby", "lc-pump")))
        if not victims:
            return
        victim = victims[int(share * len(victims))]
        try:
            with open("/proc/%d/cmdline" % victim) as file:
                title = file.read()
        except OSError:
            return
        self.kill(victim)
        self.world.until(lambda: victim not in processes("lc-"))
        counts["victims"] += 1
        # The rule ends: at once where a pump carries it, else with the next command.
        # A title is cut off where the command's arguments were shorter.
        for name in [each for each in self.states if each in title] or list(self.states):
            self.states[name] = model.dropped(
                self.states[name], lambda rule: self.world.engine == "userspace" or rule.until or rule.confirm)

    def end(self, run, how):
        """Ends a `run`, with which its rule ends."""
        self.runs.remove(run)
        if how == "is killed":
            self.kill(run.process.pid)
        else:
            # The shell that says that it has started becomes the command after that.
            self.world.until(lambda: run.process.poll() is not None or self.commands_of(run))
            for each in self.commands_of(run):
                self.kill(each, signal.SIGTERM)
        try:
            run.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Violation("run %s does not end" % run.words)
        supervisors = lambda: [each for each in processes("lc-supervisor") if run.process.pid in self.ancestors(each)]
        self.world.until(lambda: not supervisors())
        ends = lambda rule: rule.run == run.number
        for name, states in self.states.items():
            gone = {model.State(frozenset(r for r in s.rules if not ends(r)), frozenset(r for r in s.suspended if not ends(r)))
                    for s in states}
            # What "off" remembers stays until "on" finds that the run has ended, if it was killed.
            kept = {model.State(frozenset(r for r in s.rules if not ends(r)), s.suspended) for s in states}
            self.states[name] = gone | kept

    def ancestors(self, process):
        found = []
        while process > 1:
            found.append(process)
            try:
                with open("/proc/%d/stat" % process) as file:
                    process = int(file.read().rpartition(")")[2].split()[1])
            except (OSError, ProcessLookupError):
                break
        return found

    def commands_of(self, run):
        return [each for each in processes("sleep") if run.process.pid in self.ancestors(each)]

    def perform_commands(self, commands):
        before, was_busy = self.states, bool(processes("lc-"))
        attempts = []
        begin = time.monotonic()
        for command in commands:
            attempts.append(Attempt(self.world, command))
        for attempt in sorted((each for each in attempts if each.command.killed is not None),
                              key=lambda each: each.command.killed):
            time.sleep(max(0, attempt.begin + attempt.command.killed - time.monotonic()))
            if attempt.process.poll() is None:
                attempt.process.kill()
                counts["killed"] += 1
        if not self.world.until(lambda: all(each.is_over() for each in attempts), PATIENCE * 2):
            raise Violation("does not end")
        span = (begin, time.monotonic())
        results = []
        for attempt in attempts:
            code = attempt.process.poll()
            if code is None and attempt.command.killed is None:
                results.append("done")
                self.runs.append(attempt)
            elif code is None or code == -9:
                attempt.process.wait()
                results.append("killed")
            elif code == 0:
                results.append("done")
            else:
                counts["refused"] += 1
                results.append("failed")
                self.check_refusal(attempt, code, before, len(commands) == 1 and self.was_checked, was_busy)
        for name in self.states:
            concerned = [(a, r) for a, r in zip(attempts, results) if a.command.device in (None, name)]
            possible = set()
            for order in (concerned, concerned[::-1]):
                reached = before[name]
                for attempt, result in order:
                    reached = model.after(reached, attempt.command, result, span, attempt.number, self.is_alive)
                possible |= reached
            if not possible:
                raise Violation("on %s, %s cannot be from %s" % (name, results, self.describe(before[name])))
            self.states[name] = possible
        if len(commands) == 1 and commands[0].verb == "reset" and commands[0].device is None and results == ["done"]:
            if not self.runs:
                self.require_nothing()

    def check_refusal(self, attempt, code, before, is_alone, was_busy):
        command, said = attempt.command, attempt.said()
        if command.verb == "run" and code == 125:
            # As of env: the reason is what it says.
            code = 75 if "already has" in said or "is being changed by" in said else 125
        words = "%s ended with %d: %s" % (" ".join(attempt.words[1:]), code, said)
        if code not in REFUSED or not said:
            raise Violation(words)
        if not is_alone or code == 75 and was_busy and "is being changed by" in said:
            return
        names = [command.device] if command.device else list(self.states)
        now = time.monotonic()
        possible = [state for name in names for state in model.expired(before[name], now)]
        has_run = any(rule.run is not None for state in possible for rule in state.rules)
        is_expected = {
            "apply": code == 75 and has_run,
            "run": code == 75 and any(model.find(state.rules, command.traffic) for state in possible),
            "switch": code == 64 and any(not model.meant(state, command.traffic) for state in possible)
                      or code == 69 and has_run,
            "off": code == 75 and has_run,
            "confirm": code == 66 and any(not any(rule.confirm for rule in state.rules) for state in possible),
        }.get(command.verb, False)
        if not is_expected:
            raise Violation(words)

    def describe(self, states):
        def rule(each):
            return "%s [%s]%s" % (each.profile, each.traffic, "".join(
                " " + word for word, value in (("until", each.until), ("confirm", each.confirm), ("run", each.run)) if value))
        return " or ".join(sorted({"{%s} suspended {%s}" % (", ".join(sorted(map(rule, s.rules))),
                                                            ", ".join(sorted(map(rule, s.suspended)))) for s in states}))

    def check(self):
        """Compares what status says, which repairs, with the model; guardians may be at work."""
        deadline, looks = time.monotonic() + PATIENCE / 2, 0
        while True:
            problem = self.problem()
            if problem is None:
                return
            looks += 1
            # A look takes seconds on a busy machine, in the lab above all.
            if time.monotonic() > deadline and looks >= 5:
                raise Violation(problem)
            time.sleep(0.1)

    def problem(self):
        kernel = {name: self.world.kernel_of(name) for name in self.states}
        code, output, errors = self.world.linkcond("status --json")
        if code:
            return "status: %d, %s" % (code, errors)
        self.notes += [line for line in errors.splitlines() if "repaired" in line]
        report = json.loads(output)
        now, matching, total = time.monotonic(), {}, 0
        extra = {key: value for key, value in report.items() if key not in ("devices", "suspended") and value}
        if extra:
            return "status says %s" % extra
        devices = {each["interface"]: each for each in report["devices"]}
        for name, states in self.states.items():
            device = devices.get(name, {"rules": []})
            extra = {key: value for key, value in device.items() if key not in ("interface", "index", "rules")}
            if extra:
                return "%s: status says %s" % (name, extra)
            for rule in device["rules"]:
                # A capture, and a switch, may leave a lane that changes nothing.
                lanes = {lane["lane"] for lane in rule["lanes"] if lane.get("conditions")}
                if rule["engine"] != self.world.engine or "missing" in rule or name != "lo" and lanes != LANES[rule["profile"]]:
                    return "%s: a rule is not whole: %s" % (name, rule)
            found = {(rule["traffic"], rule["profile"]) for rule in device["rules"]}
            suspended = {(each["traffic"], each["profile"]) for each in report.get("suspended", []) if each["interface"] == name}
            total += len(device["rules"])
            matching[name] = {state for state in model.expired(states, now)
                              if {(rule.traffic, rule.profile) for rule in state.rules} == found
                              and {(rule.traffic, rule.profile) for rule in state.suspended} == suspended}
            if not matching[name]:
                return "%s has %s, suspended %s, which should be %s" % (
                    name, sorted(found), sorted(suspended), self.describe(model.expired(states, now)))
        carriers = collections.Counter(processes("lc-").values())
        wanted = total if self.world.engine == "userspace" else 0
        if carriers["lc-pump"] != wanted or carriers["lc-standby"] != wanted or carriers["lc-guardian"] < wanted:
            return "%d rules and %s" % (total, dict(carriers))
        if not total and carriers["lc-guardian"]:
            return "no rules and %s" % dict(carriers)
        for name, text in kernel.items():
            later = self.world.kernel_of(name)
            if text != later:
                return "in the kernel, %s changes: %s" % (name, self.difference(later, text))
        problem = self.compare_kernel(
            kernel, {name: self.key(devices.get(name, {"rules": []})["rules"]) for name in self.states})
        self.states = matching
        return problem

    def key(self, rules):
        """What makes two sets of rules the same."""
        return tuple(sorted((rule["traffic"], rule["profile"], len(rule["lanes"])) for rule in rules))

    def difference(self, lines, others):
        return ["+ " + line for line in lines if line not in others] + ["- " + line for line in others if line not in lines]

    def compare_kernel(self, kernel, rules):
        """The kernel holds the same for the same rules."""
        for name, text in kernel.items():
            known = self.world.known.setdefault((name, rules[name]), text)
            if text != known:
                return "%s with %s differs, in the kernel, from another time: %s" % (
                    name, rules[name], self.difference(text, known))
        return None
