# SPDX-License-Identifier: Apache-2.0
# Prints the privileges of each process that linkcond starts in a mode, as a row of the table in privileges.md; after
# private-world.py and private-link.py, since PrivilegeTests.swift does this in a private link.
import contextlib

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
# With a group that is not 0: the files in /proc/PID are root's and its group's if the process is not dumpable, proc(5).
ROOT = ["setpriv", "--regid=5", "--clear-groups"]
SCORE = 7
NAMES = {10: "net_bind_service", 12: "net_admin", 13: "net_raw", 14: "ipc_lock", 21: "sys_admin"}


def fields(process):
    lines = read("/proc/%d/status" % process).decode().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def user(number):
    return "root" if number == 0 else "user" if number == 65534 else "unused" if 61184 <= number <= 65519 else str(number)


def capabilities(process, status):
    permitted, effective = int(status["CapPrm"], 16), int(status["CapEff"], 16)
    # A process may be seen while it gives them up; one that stays so differs from the table.
    if permitted != effective:
        return "%x, of which it uses %x" % (permitted, effective)
    if os.readlink("/proc/%d/ns/user" % process) != os.readlink("/proc/self/ns/user"):
        return "the sandbox's" if permitted else "none"
    if permitted == int(fields(os.getpid())["CapPrm"], 16):
        return "all"
    return ", ".join(NAMES[bit] for bit in range(64) if permitted >> bit & 1) or "none"


def row(process, mode):
    status = fields(process)
    uids, gids = (status[key].split() for key in ("Uid", "Gid"))
    if len(set(uids)) > 1 or len(set(gids)) > 1:
        return "%s has several users or groups" % status
    owner = os.stat("/proc/%d/environ" % process)
    dumpable = (owner.st_uid, owner.st_gid) == (int(uids[0]), int(gids[0]))
    if not dumpable and (owner.st_uid, owner.st_gid) != (0, 0):
        return "%s belongs to %s" % (status, owner)
    score = int(read("/proc/%d/oom_score_adj" % process))
    # Without CAP_SYS_RESOURCE, none may lower it.
    spared = not MAY_SPARE and status["Name"] in SPARED and re.search("apply|-i|watch", mode)
    expect(score in (SCORE, -1000), "%s has the score %d" % (status, score))
    wanted = "-1000" if score == -1000 or spared else "the caller's"
    values = ["the command" if name(process) == "sleep" else "`%s`" % name(process), mode, user(int(uids[0])), capabilities(process, status), status["Seccomp"],
              status["NoNewPrivs"], str(int(dumpable)), wanted]
    return "| %s |" % " | ".join(values)


MAY_SPARE = int(fields(os.getpid())["CapEff"], 16) >> 24 & 1
SPARED = ("lc-guardian", "lc-standby", "lc-pump")


def tell(mode, command, wanted, caller=ROOT):
    """Runs a command, and tells of all processes once they are `wanted`."""
    crowd = others()
    ours = lambda: [each for each in others() if each not in crowd]
    start(inside(["choom", "-n", str(SCORE), "--"] + caller + command))
    # Each that is started bears its parent's name and has its parent's rights at first.
    names = lambda: sorted(name(each) for each in ours())
    until(lambda: names() == sorted(wanted), "%s in %s; there are %s" % (wanted, mode, names()), 10)
    def rows():
        """Nothing that two looks have in common if a process ends meanwhile."""
        try:
            return sorted(set(row(each, mode) for each in ours()))
        except (KeyError, OSError, ValueError):
            return [time.monotonic()]
    def pair():
        first = rows()
        time.sleep(0.3)
        return first, rows()
    looks = pair()
    while looks[0] != looks[1] or names() != sorted(wanted):
        looks = pair()
    for line in looks[1]:
        print(line, flush=True)
    linkcond("reset --all")
    for each in ours():
        # A mirror ends with a signal only.
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGTERM if name(each) in ("linkcond", "lc-mirror") else 0)
    until(lambda: not ours(), "the end of " + mode)


def inside(program):
    return ["ip", "netns", "exec", "near"] + program


def makeDeviceForAll():
    """On some machines only root may use the machine's."""
    os.makedirs("/tmp/dev")
    for line in ("mount -t tmpfs none /tmp/dev", "mknod -m 0666 /tmp/dev/tun c 10 200",
                 "mount --bind /tmp/dev/tun /dev/net/tun"):
        subprocess.run(line.split(), check=True)


def sandboxes():
    makeDeviceForAll()
    service = "import socket, time; s = socket.create_server(('127.0.0.1', 8099)); print('ready', flush=True); time.sleep(1000)"
    server = subprocess.Popen(inside(["python3", "-c", service]), stdout=subprocess.PIPE)
    server.stdout.readline()
    options = ["--host-port", "8099", "--monitor", "127.0.0.1", "--engine", "userspace", "Slow Net"]
    wanted = ["linkcond", "lc-supervisor", "lc-pump", "lc-relay", "lc-monitor", "lc-gateway", "lc-sockets", "sleep"]
    for mode, caller, more, groups in (("`run`", NOBODY, [], "0 2147483647"), ("`run`, root", ROOT, [], "0 2147483647"),
                                       ("`run --user`", ROOT, ["--user", "nobody"], "0 2147483647"),
                                       ("`run`, root, no group may ping", ROOT, [], "1 0")):
        # Of the network that the program is started in.
        sh("sysctl -qw net.ipv4.ping_group_range='%s'" % groups)
        tell(mode, [PROGRAM, "run"] + more + options + ["--", "sleep", "1000"], wanted, caller)
    server.kill()
    server.wait()


def interfaces():
    conditions = ["--engine", "userspace", "-i", "near0", "Slow Net"]
    guarded = ["lc-guardian", "lc-standby", "lc-pump"]
    run = ["linkcond", "lc-supervisor", "lc-monitor", "sleep"] + guarded
    for mode, more in ("`run -i`", []), ("`run -i --user`", ["--user", "nobody"]):
        tell(mode, [PROGRAM, "run"] + more + ["--monitor", "10.9.0.2"] + conditions + ["--", "sleep", "1000"], run)
    tell("`apply`", [PROGRAM, "apply"] + conditions, guarded)
    # A container as runc tells of it, in the far network. netem has no schedules.
    contained = subprocess.Popen(["ip", "netns", "exec", "far", "sleep", "1000"])
    until(lambda: name(contained.pid) == "sleep", "the container's process")
    begin = read("/proc/%d/stat" % contained.pid).rpartition(b")")[2].split()[19].decode()
    os.makedirs("/run/runc/web")
    with open("/run/runc/web/state.json", "w") as file:
        file.write('{"init_process_pid": %d, "init_process_start": %s, "config": {"labels": ["linkcond.profile=Starlink"]}}'
                   % (contained.pid, begin))
    tell("`containers --watch`", [PROGRAM, "containers", "--watch"], ["linkcond", "lc-container"] + guarded)


def mirrors():
    tell("`capture --mirror`", [PROGRAM, "capture", "-i", "near0", "--mirror", "mirror0"], ["lc-mirror"])


def kernelsOwn():
    tell("`apply --for`, netem", [PROGRAM, "apply", "--engine", "netem", "-i", "near0", "--for", "60s", "Slow Net"],
         ["lc-guardian"])
    tell("`run --capture`, netem, root", [PROGRAM, "run", "--offline", "--engine", "netem", "--capture", "/tmp/packets",
                                         "Slow Net", "--", "sleep", "1000"],
         ["linkcond", "lc-supervisor", "lc-capture", "sleep"])
