// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The number of sockets that probes may have open at the same time.
struct DescriptorBudget {
    /// The number of descriptors reserved for the rest of the process.
    private static let reserve = 64

    private(set) var limit: Int
    /// The highest value to which the limit can be raised.
    private var maximum: Int

    /// Makes a budget of `fixed` sockets; nil uses what RLIMIT_NOFILE of getrlimit(2) allows.
    init(fixed: Int?) {
        let limits = Self.limits
        limit = fixed ?? Self.share(of: limits.soft)
        maximum = fixed ?? Self.share(of: limits.hard)
    }

    /// Whether one socket more than `count` may be open; doubles the soft limit if it is needed for that.
    mutating func hasRoom(beyond count: Int) -> Bool {
        count < limit || raise() && count < limit
    }

    /// Doubles the soft limit, up to the hard limit; false if it cannot be raised.
    mutating func raise() -> Bool {
        guard limit < maximum else { return false }
        let soft = min(Self.limits.soft * 2, Self.limits.hard)
        var raised = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(Self.limits.hard))
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 else {
            maximum = limit
            return false
        }
        limit = Self.share(of: soft)
        return true
    }

    private static func share(of limit: Int) -> Int { max(limit - reserve, limit / 2, 1) }

    private static var limits: (soft: Int, hard: Int) {
        var limits = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return (256, 256) }
        return (Int(clamping: limits.rlim_cur), Int(clamping: limits.rlim_max))
    }
}
