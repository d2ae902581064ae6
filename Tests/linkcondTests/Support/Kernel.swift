// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the tests can use here.
enum Kernel {
    /// Whether a process may have a network namespace of its own.
    static let hasNamespaces = (try? Program.isolatedShell("true").status) == 0

    /// Whether a process may have mounts of its own besides, as `run` needs.
    static let hasSandboxes = (try? Program.start(Program.namespace + ["unshare", "-m", "true"]).status) == 0

    /// Whether a sandbox may have an uplink.
    static let hasUplink = (try? Program.shell("test -w /dev/net/tun && command -v slirp4netns").status) == 0

    /// Whether a sandbox's packets may be carried in userspace.
    static let canPump = (try? Program.shell("test -r /dev/net/tun -a -w /dev/net/tun").status) == 0

    /// Whether the kernel has the network emulator.
    static let hasNetem = (try? Program.isolatedShell("tc qdisc add dev lo root netem delay 1ms").status) == 0

    static let isRoot = geteuid() == 0
}
