// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the tests can use here.
package enum Kernel {
    package static let isRoot = geteuid() == 0

    /// Whether this is scripts/lab/run, whose kernel is a program on one processor.
    package static let isLab = ProcessInfo.processInfo.environment["LAB"] != nil

    /// What makes a command's network one of its own, in which it is root.
    package static let ownNetwork = isRoot ? ["unshare", "-n"] : ["unshare", "-rn"]

    /// Whether a process may have a network namespace of its own.
    package static let hasNamespaces = succeeds(ownNetwork + ["true"])

    /// Whether a process may also have mounts of its own, as `run` needs.
    package static let hasSandboxes = succeeds(ownNetwork + ["unshare", "-m", "true"])

    /// Whether a sandbox may have an uplink.
    package static let hasUplink = canPump

    /// Whether the userspace engine may carry packets.
    package static let canPump = access("/dev/net/tun", R_OK | W_OK) == 0

    /// Whether a sandbox may have a veth pair.
    package static let hasVethSandboxes =
        hasSandboxes && succeeds(ownNetwork + ["ip", "link", "add", "near", "type", "veth", "peer", "name", "far"])

    /// Whether the kernel has the network emulator.
    package static let hasNetem = succeeds(
        ownNetwork + ["sh", "-c", "ip link set lo up && tc qdisc add dev lo root netem delay 1ms"]
    )

    /// Whether there are control groups of version 2 that can be killed (Linux 5.14), and made by a tester who is root.
    package static let hasControlGroups = succeeds(
        ["unshare", "-m", "sh", "-c"] + [
            """
            mount -t cgroup2 none /mnt && mkdir /mnt/test-$$ && { test -w /mnt/test-$$/cgroup.kill; status=$?; \
            rmdir /mnt/test-$$; exit $status; }
            """
        ]
    )

    private static func succeeds(_ command: [String]) -> Bool {
        (try? CommandResult(of: command, limit: HangLimit.seconds).status) == 0
    }
}
