// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Behaviour on a real link, which needs a kernel with netem and root: `scripts/lab/run` gives both.
/// One after the other, because they measure time and the lab has one processor.
@Suite(
    .serialized,
    .enabled(
        if: Kernel.isRoot && Kernel.hasNetem,
        "needs root and a kernel with sch_netem; scripts/test runs it in scripts/lab/run"
    )
)
struct LabTests {}
