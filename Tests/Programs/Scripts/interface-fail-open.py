# SPDX-License-Identifier: Apache-2.0
# What InterfaceFailOpenTests.swift does in a private link, one function a test.
import shlex, statistics, subprocess, tempfile

RULE = "apply --uplink 'delay=200 ms' --engine userspace -i "


def applied(device, wrapper=""):
    """Conditions a device, in a process tree of its own if `wrapper` makes one."""
    process = start(["ip", "netns", "exec", "near", "sh", "-c",
                     "%s sh -c \"%s %s%s 2>/dev/null; exec sleep 1000\"" % (wrapper, PROGRAM, RULE, device)])
    until(lambda: len(named("sleep")) == 1 and len(named("lc-pump")) == 1, "the conditions")
    return process


def killTogether(process):
    """Ends pump and guardians before any can see that another has ended."""
    all = ours()
    stop(all)
    for each in all + named("sleep"):
        os.kill(each, signal.SIGKILL)


def killNamespace(process):
    """Ends the first process of the PID namespace, and the kernel all others with it."""
    first = [each for each in named("sh") + named("sleep") if b"NSpid:\t%d\t1\n" % each in read("/proc/%d/status" % each)]
    os.kill(first[0], signal.SIGKILL)


def killGroup(process):
    with open("/tmp/group/conditions/cgroup.kill", "w") as file:
        file.write("1")


def untilOpen(device, address, wrapper, kill):
    """Seconds from the end of all processes of linkcond to the first answer without delay."""
    process = applied(device, wrapper)
    if not wrapper:
        expect("fails open" in linkcond("status"), "status does not say that the interface fails open")
    with tempfile.TemporaryFile("w+") as output:
        ping = subprocess.Popen(["ip", "netns", "exec", "near", "ping", "-n", "-D", "-i", "0.002", address],
                                stdin=subprocess.DEVNULL, stdout=output)
        # On a busy machine ping begins late. Its first answers show the conditions.
        until(lambda: os.fstat(output.fileno()).st_size > 0, "the first answers")
        time.sleep(random.uniform(0.1, 0.4))
        killed = time.time()
        kill(process)
        until(lambda: not ours() and not named("sleep"), "the end of pump and guardians")
        # Until packets pass again.
        size = os.fstat(output.fileno()).st_size
        until(lambda: os.fstat(output.fileno()).st_size > size + 400, "answers after the end")
        ping.send_signal(signal.SIGINT)
        ping.wait()
        output.seek(0)
        answers = re.findall(r"\[([0-9.]+)\] .*time=([0-9.]+) ms", output.read())
    end(process)
    expect(any(float(took) > 190 for _, took in answers), "the conditions never took effect")
    free = [float(at) for at, took in answers if float(at) > killed and float(took) < 50]
    expect(free, "%s is closed after its processes were killed" % device)
    return free[0] - killed


def opens(trials, device="near0", address="10.9.0.2", wrapper="", kill=killTogether):
    def fault():
        waits = []
        for trial in range(trials):
            waits.append(untilOpen(device, address, wrapper, kill))
            # The next command removes what is left, and says so.
            found = linkcond("status")
            expect("repaired" in found, "status says nothing of the repair: " + found)
            clean("the next command")
        print("open after %.1f ms (median of %d), %.1f ms at most"
              % (statistics.median(waits) * 1000, trials, max(waits) * 1000))
        # Without the fail-open program it would be closed for good.
        return None if statistics.median(waits) < 0.2 else "slow to open: %s" % waits
    settle(fault)


def opensWhenPumpAndGuardianDieTogether(trials):
    opens(trials)


def opensLoopbackToo(trials):
    opens(trials, "lo", "127.0.0.1")


def opensWhenItsPIDNamespaceDies(trials):
    opens(trials, wrapper="exec unshare --pid --fork --mount-proc", kill=killNamespace)


def opensWhenItsControlGroupIsKilled(trials):
    os.makedirs("/tmp/group")
    subprocess.run(["mount", "-t", "cgroup2", "none", "/tmp/group"], check=True)
    os.makedirs("/tmp/group/conditions", exist_ok=True)
    opens(trials, wrapper="echo $$ >/tmp/group/conditions/cgroup.procs; exec", kill=killGroup)
    os.rmdir("/tmp/group/conditions")
    subprocess.run(["umount", "/tmp/group"], check=True)


def resume(processes):
    """Lets those go on that have not been killed meanwhile."""
    for each in processes:
        try:
            os.kill(each, signal.SIGCONT)
        except ProcessLookupError:
            pass


def expectConditions(address):
    found = times(address)
    expect(found and min(found) >= 190, "the conditions never took effect: %s" % found)


def untilFree(address):
    """Waits for packets that pass without conditions, after those that carried them were frozen."""
    frozen = time.monotonic()
    expect(times(address, 1) == [], "a frozen pump carries packets")
    until(lambda: min(times(address), default=1000) < 50, "free traffic", 60)
    print("open %.1f s after the freeze" % (time.monotonic() - frozen))


def command(device):
    """Conditions a device as long as a command runs."""
    process = start(["ip", "netns", "exec", "near", PROGRAM] + shlex.split(RULE.replace("apply", "run"))
                    + [device, "--", "sleep", "1000"])
    sleeping()
    until(lambda: len(ours()) == 3, "guardians and pump")
    return process


def opensWhenPumpAndGuardianAreStopped(device, address):
    linkcond(RULE + device)
    expectConditions(address)
    pair = ours()
    stop(pair)
    untilFree(address)
    # It goes on where it was.
    resume(pair)
    until(lambda: min(times(address, 1), default=0) >= 190, "the conditions")
    linkcond("reset")
    clean("reset")


def opensWhenBothAreStoppedUnderACommand():
    process = command("near0")
    expectConditions("10.9.0.2")
    pair = ours()
    stop(pair)
    untilFree("10.9.0.2")
    resume(pair)
    until(lambda: min(times("10.9.0.2", 1), default=0) >= 190, "the conditions")
    os.kill(named("sleep")[0], signal.SIGKILL)
    end(process)
    clean("the command")


def removesAStoppedPumpUnderACommand():
    process = command("near0")
    expectConditions("10.9.0.2")
    stop(named("lc-pump"))
    until(lambda: not ours(), "the end of the pump that is stopped", 60)
    until(lambda: dump() == before, "the end of its conditions", 15)
    isFast(50, "the interface is closed")
    os.kill(named("sleep")[0], signal.SIGKILL)
    end(process)
    clean("the command")


def opensWhenItsControlGroupIsFrozen():
    os.makedirs("/tmp/group")
    subprocess.run(["mount", "-t", "cgroup2", "none", "/tmp/group"], check=True)
    # The groups are the machine's: one that an earlier test left may still be frozen.
    group = "/tmp/group/test-%x" % random.SystemRandom().getrandbits(64)
    os.mkdir(group)
    process = applied("near0", "echo $$ >%s/cgroup.procs; exec" % group)
    expectConditions("10.9.0.2")
    def freeze(word):
        with open(group + "/cgroup.freeze", "w") as file:
            file.write(word)
    freeze("1")
    untilFree("10.9.0.2")
    found = linkcond("status")
    expect("repaired near0: the process that carried" in found, found)
    expect(dump() == before, "the rule is still there")
    # They find their devices gone.
    freeze("0")
    until(lambda: not ours(), "the end of pump and guardian")
    os.kill(named("sleep")[0], signal.SIGKILL)
    end(process)
    clean("the end of all")
    os.rmdir(group)
    subprocess.run(["umount", "/tmp/group"], check=True)


def theNextCommandRemovesWhatIsStopped():
    for line in "status", "switch LTE; echo", "reset", "reset --now", RULE + "near0":
        linkcond(RULE + "near0")
        # Meanwhile the guardian looks after what the command left, and keeps other commands from the interface.
        expectConditions("10.9.0.2")
        pair = ours()
        stop(pair)
        began = time.monotonic()
        linkcond(line)
        # What is stopped does not answer, and is waited for a few seconds only.
        print("%s took %.1f s" % (line, time.monotonic() - began))
        if time.monotonic() - began > 60:
            doubts.append("%s took %.1f s" % (line, time.monotonic() - began))
        if line.startswith("apply"):
            # The pump that is stopped still listens at the name of its device, which the new one has too.
            expectConditions("10.9.0.2")
        else:
            expect(dump() == before, line + " has not restored the interface")
        resume(pair)
        until(lambda: not any(each in ours() for each in pair), "the end of what was stopped")
        linkcond("reset")
        clean(line)


def theNextCommandOpensWhatFailsClosed():
    # Without CAP_BPF the filters cannot notice.
    apply = subprocess.run(["ip", "netns", "exec", "near", "setpriv", "--bounding-set=-bpf,-sys_admin", PROGRAM]
                           + shlex.split(RULE) + ["near0"], stderr=subprocess.PIPE, text=True)
    expect(apply.returncode == 0 and "killed or frozen" in apply.stderr, apply.stderr)
    linkcond("reset")
    # As with a command, which may be frozen together with them.
    run = subprocess.run(["ip", "netns", "exec", "near", "setpriv", "--bounding-set=-bpf,-sys_admin", PROGRAM]
                         + shlex.split(RULE.replace("apply", "run")) + ["near0", "--", PROGRAM, "status"],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    expect(run.returncode == 0 and "killed or frozen" in run.stderr and "fails closed" in run.stdout, run)
    run = subprocess.run(["ip", "netns", "exec", "near", PROGRAM]
                         + shlex.split(RULE.replace("apply", "run")) + ["near0", "--", "true"],
                         stderr=subprocess.PIPE, text=True)
    expect(run.returncode == 0 and "killed or frozen" not in run.stderr, run)
    clean("run")
    apply = subprocess.run(apply.args, stderr=subprocess.PIPE, text=True)
    expect("fails closed" in linkcond("status"), "status does not say that the interface fails closed")
    expectConditions("10.9.0.2")
    pair = ours()
    stop(pair)
    time.sleep(12)
    expect(times("10.9.0.2", 1) == [], "the interface is open")
    found = linkcond("status")
    expect("repaired near0: the process that carried" in found, found)
    isFast(50, "the interface is closed")
    resume(pair)
    clean("status")


def processOneIsRefused():
    for command in ("apply", "apply --for 60s"):
        done = subprocess.run(["ip", "netns", "exec", "near", "unshare", "--pid", "--fork", PROGRAM] + command.split()
                              + ["--uplink", "delay=200 ms", "--engine", "userspace", "-i", "near0"],
                              stderr=subprocess.PIPE, text=True)
        expect(done.returncode == 69, "%s ended with %d: %s" % (command, done.returncode, done.stderr))
        expect("process 1" in done.stderr and "try: " in done.stderr, done.stderr)
        clean(command)
