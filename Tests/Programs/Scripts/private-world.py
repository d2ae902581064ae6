# SPDX-License-Identifier: Apache-2.0
# What each test in a private world can use; see PrivateWorld.swift. CALLER is defined before it.
import fcntl, os, pty, random, re, select, signal, struct, sys, termios, threading, time

PROGRAM = "/tmp/linkcond"
RUN = CALLER + [PROGRAM, "run", "--offline", "--"]
ended = {}
random.seed(7)
# Seconds after which only a hang explains that something has not come, less than PrivateWorld.swift waits for this script;
# what a test starts to be ended sleeps longer.
HANG = 240
# What came later than it should, on a machine that was late itself.
doubts = []

def conclude():
    """The end of each test: PrivateWorld.swift reads it."""
    if doubts:
        print("inconclusive: %s" % "; ".join(doubts), flush=True)

def waited():
    """How long some process of this machine has waited for a processor, in seconds; 0 where the kernel does not tell."""
    try:
        with open("/proc/pressure/cpu") as file:
            return int(re.match(r"some .* total=(\d+)", file.read())[1]) / 1e6
    except OSError:
        return 0

class Lateness:
    """How late this machine wakes a thread while the body runs, and whether processes waited half of the time."""

    def __enter__(self):
        self.begin, self.waited = time.monotonic(), waited()
        self.late, self.isOver = [], threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def look(self):
        while not self.isOver.is_set():
            begin = time.monotonic()
            time.sleep(0.005)
            self.late.append((time.monotonic() - begin - 0.005) * 1000)

    def __exit__(self, *error):
        self.isOver.set()
        self.thread.join()

    def milliseconds(self):
        """Nine of ten times at most."""
        return sorted(self.late)[len(self.late) * 9 // 10] if self.late else 0

    def isStill(self, milliseconds):
        if waited() - self.waited > (time.monotonic() - self.begin) / 2:
            return False
        # The lab's timers have steps of 10 ms.
        return self.milliseconds() <= milliseconds + (20 if "LAB" in os.environ else 0)

def settle(measure, stillness=10):
    """Takes a measurement that a busy machine spoils, until it is settled. `measure` returns what is wrong; None if nothing
    is, which decides. A fault counts where the machine was late by no more milliseconds; three of these fail the test, and
    else it is inconclusive."""
    counted, disturbed = [], []
    while len(counted) < 3 and len(counted) + len(disturbed) < 6:
        with Lateness() as lateness:
            fault = measure()
        if fault is None:
            return
        if lateness.isStill(stillness):
            counted.append(fault)
        else:
            disturbed.append("%s (late by %.1f ms)" % (fault, lateness.milliseconds()))
    if len(counted) == 3:
        fail("measured three times: %s" % counted)
    doubts.extend(disturbed + counted)

def fail(words):
    sys.exit("%s; there are: %s" % (words, ["%d %s" % (each, name(each)) for each in others()]))

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""

def name(process):
    return read("/proc/%d/comm" % process).decode().strip()

def stat(process):
    """State and parent."""
    fields = read("/proc/%d/stat" % process).rpartition(b")")[2].split()
    return (fields[0].decode(), int(fields[1])) if fields else ("gone", 0)

def named(wanted):
    return [each for each in others() if name(each) == wanted]

def children(parent):
    return [each for each in others() if stat(each)[1] == parent]

def others():
    """All processes but this one."""
    try:
        while True:
            process, status = os.waitpid(-1, os.WNOHANG)
            if process == 0:
                break
            ended[process] = os.waitstatus_to_exitcode(status)
    except ChildProcessError:
        pass
    return [int(each) for each in os.listdir("/proc") if each.isdigit() and int(each) != os.getpid()]

def until(condition, words, limit=HANG):
    """Waits for what must come. Where a user is promised that it comes within a shorter limit, only a machine that is late
    itself leaves that open."""
    begin = time.monotonic()
    with Lateness() as lateness:
        while not condition():
            took = time.monotonic() - begin
            if took > HANG or took > limit and lateness.isStill(10):
                fail("waited %.1f s in vain for %s" % (took, words))
            time.sleep(0.005)
    if time.monotonic() - begin > limit:
        doubts.append("%s took %.1f s" % (words, time.monotonic() - begin))

def sleeping(count=1):
    until(lambda: len(named("sleep")) == count, "the command")

def pause(limit):
    """Lets a while pass that is none in particular."""
    time.sleep(random.uniform(0, limit))

def gone(words, limit=HANG):
    until(lambda: not others(), "the end of everything after " + words, limit)

def stop(processes):
    """Sends SIGSTOP, and waits until no thread of theirs runs: one may go on for a while."""
    for each in processes:
        os.kill(each, signal.SIGSTOP)
    tasks = lambda: ["%d/task/%s" % (each, task) for each in processes for task in os.listdir("/proc/%d/task" % each)]
    until(lambda: all(read("/proc/%s/stat" % each).rpartition(b")")[2].split()[:1] == [b"T"] for each in tasks()),
          "processes to stop")

def killAtOnce(processes):
    """Kills them before one can see that another has ended: this process has the processor. It is no use to stop them
    first: the kernel continues stopped processes when their group is orphaned by the first death."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        pass
    for each in processes:
        os.kill(each, signal.SIGKILL)
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))

def traces():
    """What can be left on a machine beside processes."""
    # A namespace's name that is deleted outside takes its mount in here along (detach_mounts in fs/namespace.c).
    mounts = [line for line in read("/proc/self/mountinfo").split(b"\n") if b" /run/netns" not in line]
    return [os.path.join(place, each) for top in ("/tmp", "/run") for place, inner, outer in os.walk(top)
            for each in inner + outer], mounts

def start(command, stdout=os.devnull):
    """Starts a command in a session of its own."""
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(stdout if isinstance(stdout, int) else os.open(stdout, os.O_WRONLY), 1)
        become(command)
    return process

def become(command):
    os.setsid()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvp(command[0], command)

def end(process):
    """Waits for the end, and gives it: a status, or a signal as a negative number."""
    until(lambda: others() is not None and process in ended, "the end of %d" % process)
    return ended[process]
