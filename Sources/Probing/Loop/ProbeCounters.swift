// SPDX-License-Identifier: Apache-2.0

/// What the loop has seen that belongs to no probe's observation.
public struct ProbeCounters: Hashable, Sendable {
    /// Answers to an echo request that had been answered already.
    public var duplicates = 0
    /// Answers to an echo request that had been given up or cancelled.
    public var late = 0
    /// ICMP errors, and echo replies with the payload of this process's requests, that no request explains.
    public var strays = 0
    /// Probes that had to wait for a descriptor.
    public var waited = 0
    /// The soft limit of descriptors (RLIMIT_NOFILE) that was set; nil while it is as it was.
    public var raisedLimit: Int?
}
