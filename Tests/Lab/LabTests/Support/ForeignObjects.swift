// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Hosts {
    /// Adds another program's objects that resemble ours as far as possible: clsact with a BPF filter, an ifb that is
    /// used, an htb tree, and our own handle numbers on both.
    func addForeignObjects() throws {
        try Shell.check(
            """
            ip netns exec \(near) sh -e <<'END'
            tc qdisc add dev \(interface) root handle 1: htb default 10
            tc class add dev \(interface) parent 1: classid 1:10 htb rate 900mbit
            tc qdisc add dev \(interface) parent 1:10 handle 10: pfifo limit 77
            tc qdisc add dev \(interface) clsact
            ip link add theirs0 type ifb
            ip link set theirs0 alias 'ifb of another program' up
            tc qdisc add dev theirs0 root handle 1: tbf rate 1gbit burst 50kb limit 100kb
            tc qdisc add dev theirs0 parent 1:1 handle 10: netem limit 55 delay 1us
            tc filter add dev \(interface) ingress pref 60000 protocol all handle 1 bpf bytecode '1,6 0 0 0' action pass
            tc filter add dev \(interface) egress pref 60000 protocol ip handle 1 bpf bytecode '1,6 0 0 0' \
            action mirred egress redirect dev theirs0
            END
            """
        )
    }
}
