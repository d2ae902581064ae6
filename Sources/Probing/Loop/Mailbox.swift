// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc
import Synchronization

/// What other threads want of the loop, and the eventfd that wakes it.
final class Mailbox: Sendable {
    /// What is wanted.
    struct Letters {
        var starts: [ActiveProbe] = []
        var cancellations: [ActiveProbe] = []
        var isStopping = false
    }

    let waker: Int32
    private let letters = Mutex(Letters())
    private let seen = Mutex(ProbeCounters())

    init() {
        waker = lc_open_eventfd()
        precondition(waker >= 0, "no eventfd for the probe loop: errno \(-waker)")
    }

    deinit { close(waker) }

    /// Adds to what is wanted; false, and nothing is added, where the loop has ended.
    @discardableResult
    func add(_ change: (inout Letters) -> Void) -> Bool {
        let (isOpen, wasEmpty) = letters.withLock { letters in
            guard !letters.isStopping else { return (false, false) }
            let wasEmpty = letters.starts.isEmpty && letters.cancellations.isEmpty
            change(&letters)
            return (true, wasEmpty)
        }
        if wasEmpty { lc_signal_eventfd(waker) }
        return isOpen
    }

    /// Takes what is wanted. `empty` gives its storage to what comes next.
    func take(_ empty: inout Letters) {
        letters.withLock { letters in
            empty.isStopping = letters.isStopping
            swap(&letters, &empty)
        }
    }

    /// What the loop has counted.
    var counters: ProbeCounters {
        get { seen.withLock { $0 } }
        set { seen.withLock { $0 = newValue } }
    }
}
