# SPDX-License-Identifier: Apache-2.0
# A network with one veth interface and loopback, and all that linkcond could leave in it.
import json, os, re, signal, subprocess, time

JOURNAL = "/run/linkcond"
# Seconds to wait for what other processes do; a guardian may wait for a processor, and tries again twice a second.
PATIENCE = 30


def shell(line):
    return subprocess.run(["bash", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True).stdout


def processes(prefixes):
    """The living processes whose names begin so, with their names."""
    found = {}
    for each in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % each) as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except (OSError, NotADirectoryError):
            continue
        if name.startswith(prefixes) and rest.split()[0] not in "ZX":
            found[int(each)] = name
    return found


class World:
    # The interfaces that commands may change.
    DEVICES = "near0 lo"

    def __init__(self, program, engine, device):
        self.program, self.engine, self.device = program, engine, device
        os.environ["LINKCOND_STATE_DIR"] = JOURNAL
        shell("""ip link add near0 type veth peer name far0
            ip link set near0 addrgenmode none; ip link set far0 addrgenmode none
            ip link set lo up; ip link set near0 up; ip link set far0 up
            tc qdisc replace dev near0 root handle 1: htb""")
        self.until(lambda: "LOWERLAYERDOWN" not in str(self.kernel()))
        self.blank = self.kernel()

    def command(self, line):
        """The program's arguments, with the interface and the engine in their places."""
        words = line.replace("DEV", "-i " + self.device).replace("ENGINE", "--engine " + self.engine)
        return [self.program] + [word.replace("_", " ") for word in words.split()]

    def linkcond(self, line):
        done = subprocess.run(self.command(line), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE * 4)
        return done.returncode, done.stdout, done.stderr

    def kernel(self):
        """What the kernel holds, without what differs between two rules of the same conditions."""
        return self.kept(shell("""ip -d link show
            for device in %s; do
                tc qdisc show dev $device
                for hook in ingress egress; do tc filter show dev $device $hook; done
            done
            for device in /sys/class/net/lc*; do [ -e $device ] && tc qdisc show dev ${device##*/}; done
            grep -H . /proc/sys/net/ipv4/conf/lo/{route_localnet,accept_local,rp_filter}""" % self.DEVICES))

    def kept(self, text):
        """The lines that two rules of the same conditions have in common."""
        kept = []
        for line in text.splitlines():
            line = line.strip()
            # Addresses of devices, hash tables of u32 and identifiers of programs and actions are new each time, and a
            # qdisc counts the kernel's own packets.
            if line.startswith(("link/", "index ")) or line.endswith(("u32 chain 0", "bpf chain 0")) or "ht divisor" in line:
                continue
            line = re.sub(r"^\d+: |direct_packets_stat \d+", "", line)
            line = re.sub(r"\b(lc\d+r)\d+([a-z])\d*", r"\1#\2", line)
            line = re.sub(r"\b(at|pid|start|pidns)=\d+|rule \d+|pref \d+|(fh|handle|order|ht|tag|flowid|refcnt|id) \S+|"
                          r"linkcond:\w+|\b[0-9a-f]+: dev|parent \S+|:\w+ ", "#", line)
            kept.append(line)
        return sorted(kept)

    def rules(self):
        """What status says: rules with their conditions as their carriers tell them, suspended rules, leftovers."""
        code, output, errors = self.linkcond("status --json")
        if code != 0:
            return ["status ended with %d: %s" % (code, errors)], errors
        report = json.loads(output)
        found = []
        for device in report.pop("devices"):
            for rule in device.pop("rules", []):
                lanes = [(lane["lane"], str(lane.get("conditions"))) for lane in rule["lanes"]]
                found.append(str((device["interface"], rule.get("profile"), rule.get("engine"), "until" in str(rule), lanes)))
            found += [str(item) for item in device.items() if item[0] not in ("interface", "index")]
        found += ["%s: %s" % (key, item) for key, items in report.items() for item in items]
        return sorted(found), errors

    def state(self):
        rules, errors = self.rules()
        return (self.kernel(), rules), errors

    def left(self):
        """What is left of linkcond where nothing should be."""
        now = self.kernel()
        left = ["+ " + line for line in now if line not in self.blank] + ["- " + line for line in self.blank if line not in now]
        left += ["process %s" % name for name in processes(("lc-", "linkcond")).values()]
        return left + (os.listdir(JOURNAL) if os.path.isdir(JOURNAL) else [])

    def until(self, condition, limit=PATIENCE):
        """Waits, since a guardian may be at work."""
        deadline = time.monotonic() + limit
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def clear(self):
        """Removes everything by force, so that one defect is not reported twice."""
        for process in processes(("lc-", "linkcond", "strace")):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shell("""rm -rf %s; for device in %s; do tc qdisc del dev $device clsact; done
            ip link set lo mtu 65536
            for device in /sys/class/net/lc*; do [ -e $device ] && ip link del ${device##*/}; done
            for key in route_localnet accept_local rp_filter; do echo 0 >/proc/sys/net/ipv4/conf/lo/$key; done"""
              % (JOURNAL, self.DEVICES))
