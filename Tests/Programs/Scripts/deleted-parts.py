# SPDX-License-Identifier: Apache-2.0
# What DeletedPartTests.swift does in a private link, one function a test: another program deletes one of the objects of
# a rule that the userspace engine carries.

NASTY = "--engine userspace --uplink 'delay=80 ms' --downlink 'delay=40 ms'"


def index():
    return int(sh("cat /sys/class/net/near0/ifindex"))

def check(words, deletion, told, missing, slowest, quickest):
    """Deletes one object; status tells what is left, packets pass accordingly, and reset restores everything."""
    linkcond("apply %s -i near0" % NASTY)
    # The guardian looks at the interface once when its parent has ended, and could be the one that repairs it.
    time.sleep(0.3)
    sh(deletion)
    first = linkcond("status")
    expect(told in first, "%s: %s" % (words, first))
    for status in first, linkcond("status"):
        for lane in "uplink", "downlink":
            listed = re.search("^  %s +[0-9]+ ms delay" % lane, status, re.M) is not None
            expect(listed == (lane not in missing), "%s: %s" % (words, status))
        removed = "another program removed the " + ", ".join(missing)
        expect(not re.search("^near0: ", status, re.M) or not missing or removed in status, "%s: %s" % (words, status))
    found = times()
    expect(len(found) == 3 and quickest <= min(found) <= slowest, "%s: %s" % (words, found))
    linkcond("reset")
    clean(words, 15)


def uplinkDevice():
    check("the uplink's device", "ip link del lc%dr1u" % index(), "removed filters whose device is gone", ["uplink"],
          80, 40)


def downlinkDevice():
    check("the downlink's device", "ip link del lc%dr1d" % index(), "removed filters whose device is gone",
          ["downlink"], 119, 80)


def bothDevices():
    check("both devices", "ip link del lc%dr1u; ip link del lc%dr1d" % (index(), index()), "", ["uplink", "downlink"],
          30, 0)


def uplinkFilter():
    check("the uplink's filter", "tc filter del dev near0 egress pref 50097", "removed lanes", ["uplink"], 80, 40)


def downlinkFilter():
    check("the downlink's filter", "tc filter del dev near0 ingress pref 50098", "removed lanes", ["downlink"], 119, 80)


def hook():
    check("the hook", "tc qdisc del dev near0 clsact", "removed lanes", ["uplink", "downlink"], 30, 0)


def pass_():
    check("the pass", "tc filter del dev near0 egress pref 49999", "added filters again", [], 300, 120)


def wayBack():
    for lane in "u", "d":
        tap = "lc%dr1%s" % (index(), lane)
        check("the hook of " + tap, "tc qdisc del dev %s clsact" % tap, "added filters again", [], 300, 120)
        check("the filter of " + tap, "tc filter del dev %s ingress" % tap, "added filters again", [], 300, 120)


def entry():
    linkcond("apply %s -i near0" % NASTY)
    sh("rm /run/linkcond/*.entry")
    status = linkcond("status")
    expect("uplink" in status and "downlink" in status, status)
    linkcond("reset")
    sh("tc qdisc del dev near0 clsact", False)
    clean("the entry", 15)


def resetWithoutStatus():
    """The next command is the reset."""
    for deletion in ("ip link del lc%dr1u", "ip link del lc%dr1d", "tc filter del dev near0 egress pref 50097 # %d",
                     "tc filter del dev near0 egress pref 49999 # %d", "tc qdisc del dev near0 clsact # %d"):
        for way in "reset", "reset --all", "reset -i near0 --now":
            linkcond("apply %s -i near0" % NASTY)
            sh(deletion % index())
            linkcond(way)
            clean("%s and %s" % (deletion, way), 15)


def plainIngressQdisc():
    global before
    sh("tc qdisc add dev near0 ingress")
    before = dump()
    linkcond("apply --engine userspace 'Black Hole' -i near0")
    expect(times(count=2) == [], "a black hole")
    status = linkcond("status")
    expect("downlink" in status and "uplink" not in status, status)
    linkcond("reset")
    clean("reset", 15)
    expect(len(times()) == 3, "packets pass")


def aheadOfLowPreferences():
    global before
    sh("tc qdisc add dev near0 clsact; tc filter add dev near0 egress protocol all pref 7 u32 match u32 0 0 flowid 1:1")
    before = dump()
    found = linkcond("apply %s -i near0; echo status $?" % NASTY)
    expect("status 69" in found and "--before-foreign" in found, found)
    linkcond("apply %s -i near0 --before-foreign" % NASTY)
    found = times()
    expect(len(found) == 3 and min(found) >= 120, "%s" % found)
    linkcond("reset")
    clean("reset", 15)
