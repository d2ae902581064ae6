// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Behaviour on a real link, which needs a kernel with netem and root: `scripts/lab` gives both.
/// One after the other, because they measure time and the lab has one processor.
@Suite(
    .serialized,
    .enabled(if: Kernel.hasNetem, "needs root and a kernel with sch_netem; scripts/test runs it in scripts/lab")
)
struct LabTests {}

enum Kernel {
    /// Whether netem can be used here, found out in a namespace of its own.
    static let hasNetem: Bool = {
        let line = """
            unshare -n sh -c 'ip link set lo up && tc qdisc add dev lo root netem delay 1ms' 2>/dev/null
            """
        return geteuid() == 0 && (try? Shell.run(line).status) == 0
    }()
}
