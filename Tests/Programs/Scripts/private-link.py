# SPDX-License-Identifier: Apache-2.0
# What each test of a private link can use, after private-world.py; see PrivateLink.swift.
import atexit, ctypes, subprocess

def sh(line, check=True):
    """Runs a line of shell in the near network, and gives its output."""
    done = subprocess.run(["ip", "netns", "exec", "near", "sh", "-c", line], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if check and done.returncode != 0:
        fail("%s ended with %d: %s" % (line, done.returncode, done.stdout))
    return done.stdout

def linkcond(arguments, check=True):
    return sh(PROGRAM + " " + arguments, check)

def dump():
    """Whatever conditioning could have changed."""
    return sh("""
        ip -d link show
        for device in near0 lo; do
            tc qdisc show dev $device
            for hook in ingress egress; do tc filter show dev $device $hook; done
        done
        grep -H . /proc/sys/net/ipv4/conf/lo/*
        """)

def clean(words, limit=HANG):
    """Waits until nothing is left."""
    def isClean():
        return dump() == before and not ours() and not os.listdir("/run/linkcond")

    try:
        until(isClean, "the end of what is left after " + words, limit)
    except SystemExit as error:
        left = [line for line in dump().splitlines() if line not in before.splitlines()]
        sys.exit("%s: %s" % (error, left + os.listdir("/run/linkcond")))

def ours():
    return named("lc-guardian") + named("lc-standby") + named("lc-pump")

def only(wanted):
    """The process of this name. One that was just made has its parent's until it gives itself its own."""
    until(lambda: len(named(wanted)) == 1, wanted)
    return named(wanted)[0]

def times(address="10.9.0.2", count=3):
    """What ping says of its round trips, in milliseconds."""
    def ping(options):
        output = sh("ping -n %s %s" % (options, address), False)
        return [float(each) for each in re.findall(r"time=([0-9.]+)", output)]
    found = ping("-c %d -i 0.2 -W 2" % count)
    # Once it has an answer, ping waits for the others for its interval or two round trips only.
    while 0 < len(found) < count:
        late = ping("-c 1 -W 20")
        if not late:
            break
        found += late
    return found

def isSlow(least, words, address="10.9.0.2", below=None):
    """Expects round trips of `least` milliseconds or more, whatever the machine; and, if it is not late itself, fewer than
    `below`."""
    def fault():
        found = times(address)
        expect(found and min(found) >= least, "%s: %s" % (words, found))
        return None if below is None or min(found) < below else "%s: %s" % (words, found)
    settle(fault)

def isFast(below, words, address="10.9.0.2"):
    """Expects round trips of fewer milliseconds."""
    def fault():
        found = times(address)
        return None if found and min(found) < below else "%s: %s" % (words, found)
    settle(fault)

def inside(network, make):
    """What a function makes in a network, which a thread of its own enters."""
    made = []

    def enter():
        with open("/run/netns/" + network) as file:
            if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0x40000000) == 0:
                made.append(make())
    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    return made[0]

def expect(condition, words):
    if not condition:
        fail(words)

for line in """netns add near
    netns add far
    -n near link add near0 type veth peer name far0 netns far
    -n near address add 10.9.0.1/24 dev near0
    -n far address add 10.9.0.2/24 dev far0
    -n near address add fd09::1/64 dev near0 nodad
    -n far address add fd09::2/64 dev far0 nodad
    -n near link set near0 addrgenmode none
    -n far link set far0 addrgenmode none
    -n near link set lo up
    -n near link set near0 up
    -n far link set far0 up""".splitlines():
    subprocess.run(["ip"] + line.split(), check=True)
# In its usual place, where no other test has one.
os.environ.pop("LINKCOND_STATE_DIR", None)
os.makedirs("/run/linkcond", mode=0o700)
until(lambda: times("fd09::2", 1), "the link")
before = dump()
