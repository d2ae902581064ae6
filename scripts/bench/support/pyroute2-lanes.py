# SPDX-License-Identifier: Apache-2.0
"""What linkcond does to an interface, by pyroute2: pyroute2-lanes.py apply|switch|reset DEVICE [DELAY LOSS]

Three lanes, each an ifb with netem: uplink, downlink, and DNS. The delay is in microseconds, the loss in percent. There is no
rate: what pyroute2 0.9.7 sends for one is refused by Linux 6.1 (ERANGE).
"""
import sys

from pyroute2 import IPRoute

LANES = ("u", "d", "n")
CLSACT = 0xFFFF0000
HOOKS = {"ingress": 0xFFFFFFF2, "egress": 0xFFFFFFF3}
IP, IPV6 = 0x0800, 0x86DD
step, device = sys.argv[1:3]


def redirect(target):
    return {"kind": "mirred", "direction": "egress", "action": "redirect", "ifindex": target}


with IPRoute() as routes:
    link = routes.link_lookup(ifname=device)[0]
    names = {lane: f"py{link}{lane}" for lane in LANES}
    if step == "apply":
        delay, loss = int(sys.argv[3]), float(sys.argv[4])
        index = {}
        for lane, name in names.items():
            routes.link("add", ifname=name, kind="ifb")
            index[lane] = routes.link_lookup(ifname=name)[0]
            routes.link("set", index=index[lane], state="up")
            routes.tc("add", "netem", index[lane], "1:", delay=delay, loss=loss, limit=1000)
        routes.tc("add", "clsact", link, "ffff:")
        for protocol in (IP, IPV6):
            # Port 53 at the place that it has without options.
            place = 22 if protocol == IP else 42
            routes.tc("add-filter", "u32", link, "0:1", parent=HOOKS["egress"], prio=10 + (protocol == IPV6),
                      protocol=protocol, target=0x10010, keys=[f"0x35/0xffff+{place}"],
                      action=redirect(index["n"]))
            for hook, lane in (("egress", "u"), ("ingress", "d")):
                routes.tc("add-filter", "u32", link, "0:1", parent=HOOKS[hook], prio=20 + (protocol == IPV6),
                          protocol=protocol, target=0x10010, keys=["0x0/0x0+0"],
                          action=redirect(index[lane]))
    elif step == "switch":
        delay, loss = int(sys.argv[3]), float(sys.argv[4])
        for name in names.values():
            routes.tc("change", "netem", routes.link_lookup(ifname=name)[0], "1:", delay=delay, loss=loss, limit=1000)
    else:
        routes.tc("del", "clsact", link, "ffff:")
        for name in names.values():
            routes.link("del", index=routes.link_lookup(ifname=name)[0])
