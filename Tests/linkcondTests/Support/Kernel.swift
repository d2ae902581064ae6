// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the tests can use here.
enum Kernel {
    /// Whether a process may have a network namespace of its own.
    static let hasNamespaces = (try? Program.isolatedShell("true").status) == 0

    /// Whether the kernel has the network emulator.
    static let hasNetem = (try? Program.isolatedShell("tc qdisc add dev lo root netem delay 1ms").status) == 0

    static let isRoot = geteuid() == 0
}
