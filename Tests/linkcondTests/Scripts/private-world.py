# SPDX-License-Identifier: Apache-2.0
# What each test in a private world can use; see PrivateWorld.swift. CALLER is defined before it.
import fcntl, os, pty, random, re, select, signal, struct, sys, termios, time

PROGRAM = "/tmp/linkcond"
RUN = CALLER + [PROGRAM, "run", "--offline", "--"]
ended = {}
random.seed(7)

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

def until(condition, words, limit=10):
    deadline = time.monotonic() + limit
    while not condition():
        if time.monotonic() > deadline:
            fail("waited in vain for " + words)
        time.sleep(0.001)

def sleeping(count=1):
    until(lambda: len(named("sleep")) == count, "the command")

def pause(limit):
    """Lets a while pass that is none in particular."""
    time.sleep(random.uniform(0, limit))

def gone(words, limit=10):
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
