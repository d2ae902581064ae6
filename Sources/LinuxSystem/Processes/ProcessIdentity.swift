// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that cannot be confused with a later one that has the same process ID.
public struct ProcessIdentity: Hashable, Sendable {
    /// The process ID.
    public var processID: Int32
    /// The time at which the process started, in clock ticks since the machine started: field 22 of /proc/PID/stat.
    public var startTime: UInt64
    /// The inode of the PID namespace in which the process ID is valid.
    public var namespace: UInt64

    /// Makes an identity.
    public init(processID: Int32, startTime: UInt64, namespace: UInt64) {
        self.processID = processID
        self.startTime = startTime
        self.namespace = namespace
    }

    /// Identifies the process that now has the ID `processID`; nil if there is none or it has ended.
    public init?(_ processID: Int32) {
        guard let status = ProcessStatus(processID), !status.hasEnded else { return nil }
        self.init(processID: processID, startTime: status.startTime, namespace: Self.currentNamespace)
    }

    /// This process.
    public static var current: ProcessIdentity {
        ProcessIdentity(getpid()) ?? ProcessIdentity(processID: getpid(), startTime: 0, namespace: currentNamespace)
    }

    /// Whether the process is running. A process of another PID namespace cannot be looked up and counts as running.
    public var isAlive: Bool {
        namespace != Self.currentNamespace || ProcessIdentity(processID) == self
    }

    private static var currentNamespace: UInt64 { FileIdentity("/proc/self/ns/pid")?.inode ?? 0 }
}
