# SPDX-License-Identifier: Apache-2.0
# The commands, the faults that they meet, and what is to hold afterwards.
import collections, os, re, signal, subprocess, tempfile, time

from world import PATIENCE, processes

# Calls through which a process changes what others see: the kernel's links and filters, files, processes, and what
# it says to them. Between two of them nothing changes that a death could leave half done.
CHANGING = """sendto sendmsg write writev pwrite64 ftruncate fsync openat mkdir rename unlink flock ioctl bpf socket socketpair
    bind connect listen clone clone3 fork vfork execve kill mount umount2 unshare setns setsid pidfd_send_signal
    memfd_create inotify_add_watch""".split()
# Where Linux documents the error, or where another file system, a full disk or a security module brings it about.
WHERE = {
    "ENOSPC": "openat mkdir write writev pwrite64 ftruncate fsync rename",
    "EIO": "openat write pwrite64 ftruncate fsync rename unlink mkdir",
    "EINTR": "openat write sendto sendmsg recvmsg flock connect fsync",
    "ENOMEM": "openat mkdir rename unlink sendto sendmsg recvmsg socket socketpair clone clone3 ioctl bpf memfd_create",
    "EPERM": "openat mkdir rename unlink sendto socket ioctl bpf clone clone3 kill",
}
# The guide's statuses of a failure, without that of a mistake in the program.
REPORTED = {66, 69, 71, 74, 75, 77, 125}


class Fault:
    """What happens to a process at its Nth call of a set: strace counts for each process."""

    def __init__(self, name, calls, action, follows):
        self.name, self.calls, self.action, self.follows = name, calls, action, follows
        self.is_error = action.startswith("error")

    def applies(self, case):
        return True

    def arguments(self, point):
        calls = ",".join(self.calls)
        inject = [] if point is None else ["-e", "inject=%s:%s:when=%d" % (calls, self.action, point)]
        return ["-e", "trace=" + calls] + inject


# Alone: the processes that it starts live on. Together: each of them is killed at its own Nth call, even after the command.
FAULTS = {each.name: each for each in [Fault("killed alone", CHANGING, "signal=KILL", False),
                                       Fault("all killed", CHANGING, "signal=KILL", True)]
          + [Fault(error, calls.split(), "error=" + error, True) for error, calls in WHERE.items()]}


class Case:
    """A command, after the commands that prepare it. A guardian has no command: it is told to end its rule."""

    def __init__(self, name, before, command, device="near0"):
        self.name, self.before, self.command, self.device = name, before, command, device


APPLY = "apply LTE DEV ENGINE"
CASES = [
    Case("apply", [], APPLY),
    Case("apply --for", [], APPLY + " --for 60s"),
    Case("change", [APPLY], "apply Slow_Net DEV ENGINE"),
    Case("switch", [APPLY], "switch Slow_Net"),
    Case("off", [APPLY], "off"),
    Case("on", [APPLY, "off"], "on"),
    Case("reset", [APPLY], "reset"),
    Case("run", [], "run LTE DEV ENGINE -- true"),
    Case("guardian", [APPLY + " --for 60s"], None),
    Case("apply lo", [], APPLY, "lo"),
    Case("switch lo", [APPLY], "switch Slow_Net", "lo"),
    Case("reset lo", [APPLY], "reset", "lo"),
]
FOLLOWING = ["status", "reset", "apply"]


class Trial:
    def __init__(self, world, case, fault):
        self.world, self.case, self.fault = world, case, fault
        self.trace = tempfile.mktemp()

    def learn(self):
        """Learns the old state and the new one, and what another apply makes of them, from commands that go through."""
        self.world.clear()
        self.blank = self.world.state()[0]
        self.prepare()
        self.old = self.world.state()[0]
        self.expect(self.end_guardian() if self.case.command is None else self.world.linkcond(self.case.command))
        self.new = self.world.state()[0]
        self.expect(self.world.linkcond("reset"))
        self.expect(self.world.linkcond("apply Wi-Fi DEV ENGINE"))
        self.other = self.world.state()[0]
        self.expect(self.world.linkcond("reset"))
        if not self.world.until(lambda: not self.world.left()):
            raise SystemExit("%s leaves %s" % (self.case.name, self.world.left()))

    def expect(self, result):
        if result[0] != 0:
            raise SystemExit("%s cannot be tried: %s" % (self.case.name, result[2]))

    def prepare(self):
        for line in self.case.before:
            self.expect(self.world.linkcond(line))

    def candidates(self):
        """The points at which a process of a run without faults makes a call that can fail so. Sets `length`, the most
        calls that one process makes."""
        self.run(None, "status")
        calls = collections.defaultdict(list)
        with open(self.trace) as file:
            for line in file:
                if "(" in line and " resumed>" not in line:
                    calls[line.split()[0] if self.is_marked() else ""].append(line)
        self.length = max(map(len, calls.values()), default=0)
        return [point for point in range(1, self.length + 1)
                if any(self.is_possible(own[point - 1]) for own in calls.values() if len(own) >= point)]

    def run(self, point, following):
        """Runs the command with the fault at `point`, and then the next command; whether the fault came to pass."""
        self.failures, self.repaired, self.outcome, self.call = [], False, "neither", ""
        self.is_told = False
        self.prepare()
        open(self.trace, "w").close()
        code, errors = self.attack(point) if self.case.command is None else self.injure(point)
        if self.fault.is_error:
            self.check_report(code, errors)
        try:
            getattr(self, "then_" + following)()
            self.then_nothing_is_left()
        except subprocess.TimeoutExpired as failure:
            self.failures.append(str(failure))
        if self.failures:
            self.world.clear()
        self.world.until(lambda: not processes("strace"))
        injured = self.was_injured()
        if injured and self.fault.is_error and not self.is_possible(self.call):
            self.failures, self.outcome = [], "impossible"
        if not injured and point is not None:
            # The last run: nothing was wrong with it.
            injured = bool(self.failures)
        if os.path.exists(self.trace) and point is not None:
            os.unlink(self.trace)
        return injured

    def is_marked(self):
        """Whether each line of the trace begins with the process."""
        return self.marked

    def is_possible(self, call):
        """Whether the kernel or a file system could answer so: there is no full disk where nothing is made, and proc(5)
        and devices need memory only."""
        made = "O_CREAT" in call
        virtual = re.search(r'"/(proc|sys|dev)/|openat\(\d+, "[^/]*stat', call)
        if not self.fault.is_error or "openat(" not in call or self.fault.name == "ENOMEM":
            return True
        return not virtual and (made or self.fault.name != "ENOSPC")

    def strace(self, point, target):
        flags = ["-f"] if self.fault.follows and self.case.command else []
        self.marked = bool(flags) or target.count("-p") > 1
        return ["strace", "-qq"] + flags + ["-o", self.trace] + self.fault.arguments(point) + target

    def injure(self, point):
        command = self.world.command(self.case.command)
        # The tracer is no parent: the command's status and children are as without it. It keeps the standard error.
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(self.strace(point, ["-D", "--"] + command), stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=output)
            try:
                process.wait(timeout=PATIENCE * 4)
            except subprocess.TimeoutExpired:
                self.failures.append("does not end")
                process.kill()
                process.wait()
            output.seek(0)
            errors = output.read()
        if not self.fault.follows:
            self.world.until(lambda: not processes("strace"))
        return process.returncode, errors

    def carriers(self):
        return processes("lc-")

    def attack(self, point):
        carriers = self.carriers()
        chosen = [each for each, name in carriers.items() if self.fault.follows or name == "lc-guardian"]
        target = [word for each in chosen for word in ("-p", str(each))]
        tracer = subprocess.Popen(self.strace(point, target), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.world.until(lambda: all(self.tracer(each) for each in chosen if each in self.carriers()))
        self.end_guardian()
        self.world.until(lambda: tracer.poll() is not None)
        tracer.terminate()
        tracer.wait()
        return 0, ""

    def tracer(self, process):
        try:
            with open("/proc/%d/status" % process) as file:
                return re.search(r"TracerPid:\t([1-9])", file.read())
        except OSError:
            return True

    def end_guardian(self):
        guardians = [each for each, name in self.carriers().items() if name == "lc-guardian"]
        for each in guardians:
            os.kill(each, signal.SIGTERM)
        return 0 if self.world.until(lambda: not any(each in self.carriers() for each in guardians)) else 1, "", ""

    def check_report(self, code, errors):
        """A failure is reported and leaves old or new by itself; a success is one."""
        kernels = [self.new[0]] if code == 0 and self.case.command else [self.old[0], self.new[0]]
        if not self.world.until(lambda: self.world.kernel() in kernels):
            now = self.world.kernel()
            self.failures.append("status %d (%s), and the kernel has %s" % (code, errors.strip(), self.difference(now)))
        self.is_told = code != 0
        # What standard error does not take cannot be said.
        is_mute = "write(2," in self.call_of_trace()
        if code != 0 and (code not in REPORTED or not errors.strip() and not is_mute):
            self.failures.append("status %d, said: %s" % (code, errors.strip()))

    def call_of_trace(self):
        self.was_injured()
        return self.call

    def difference(self, kernel):
        """The nearest of the two states, and how this one differs."""
        candidates = []
        for name, state in (("old", self.old[0]), ("new", self.new[0])):
            candidates.append((["+ " + line for line in kernel if line not in state]
                               + ["- " + line for line in state if line not in kernel], name))
        least = min(candidates, key=lambda each: len(each[0]))
        return "%s but %s" % (least[1], least[0] or "for the number of lines")

    def known(self, state):
        if state == self.old:
            return "old"
        if state == self.new:
            return "new"
        # The rule of processes that were killed ends with them.
        if state == self.blank and self.fault.follows and not self.fault.is_error:
            return "ended"
        return None

    def then_status(self):
        state, said = self.world.state()
        self.repaired = "repaired" in said
        deadline = time.monotonic() + PATIENCE
        while not self.known(state) and time.monotonic() < deadline:
            time.sleep(0.1)
            state, said = self.world.state()
            self.repaired |= "repaired" in said
        self.outcome = self.known(state) or "neither"
        if self.outcome == "neither":
            self.failures.append("neither: %s; status: %s" % (self.difference(state[0]), state[1]))
        elif self.fault.is_error or not self.fault.follows:
            self.check_journal(state)

    def check_journal(self, state):
        """The journal says the same, or these would not come back."""
        rules = [rule for rule in state[1] if not rule.startswith("suspended")]
        if not rules:
            return
        for line in ("off", "on"):
            code, _, errors = self.world.linkcond(line)
            if code != 0:
                return self.failures.append("then %s: %d, %s" % (line, code, errors))
        again = self.world.state()[0]
        if again != state:
            self.failures.append("off and on make another: %s, %s" % (again[1], [x for x in again[0] if x not in state[0]]))

    def then_reset(self):
        self.outcome = "reset"

    def then_apply(self):
        self.outcome = "other"
        result = self.world.linkcond("apply Wi-Fi DEV ENGINE")
        deadline = time.monotonic() + PATIENCE
        while result[0] == 75 and time.monotonic() < deadline:
            result = self.world.linkcond("apply Wi-Fi DEV ENGINE")
        self.repaired = "repaired" in result[2]
        if result[0] != 0:
            return self.failures.append("apply: %d, %s" % (result[0], result[2].strip()))
        state = self.world.state()[0]
        if state[0] != self.other[0] or [x for x in state[1] if not x.startswith("suspended")] != self.other[1]:
            self.failures.append("apply makes another: %s" % (state,))

    def then_nothing_is_left(self):
        code, output, errors = self.world.linkcond("reset")
        self.repaired |= "repaired" in errors
        if code != 0:
            self.failures.append("reset: %d, %s" % (code, errors.strip()))
        if not self.world.until(lambda: not self.world.left()):
            self.failures.append("left: %s" % self.world.left())

    def was_injured(self):
        with open(self.trace) as file:
            lines = file.read().splitlines()
        for index, line in enumerate(lines):
            owner = line.split()[0]
            if self.fault.is_error and "(INJECTED)" in line:
                # Each process is injured at its own call: one that can fail so counts.
                if not self.call or self.is_possible(line):
                    self.call = line
            if not self.fault.is_error and "killed by SIGKILL" in line:
                own = [each for each in lines[:index] if not self.is_marked() or each.split()[0] == owner]
                # A guardian kills its pump and its standby where they wait, which is in no call of the set.
                if own and own[-1].endswith(("= ?", "<unfinished ...>")):
                    self.call = own[-1]
                    return True
        return self.fault.is_error and self.call != ""
