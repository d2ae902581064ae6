// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A process that cannot be taken for a later one with the same number.
public struct ProcessIdentity: Hashable, Sendable {
    /// Its number.
    public var processID: Int32
    /// When it was started, in the kernel's ticks since boot: field 22 of proc(5)'s stat.
    public var startTime: UInt64
    /// The inode of the process namespace in which the number means something.
    public var namespace: UInt64

    /// Makes an identity.
    public init(processID: Int32, startTime: UInt64, namespace: UInt64) {
        self.processID = processID
        self.startTime = startTime
        self.namespace = namespace
    }

    /// The process that is `processID` now; nil where there is none, or only what is left of one.
    public init?(_ processID: Int32) {
        guard let fields = Self.fields(of: processID), fields.count > 19, !["Z", "X"].contains(fields[0]),
            let startTime = UInt64(fields[19])
        else { return nil }
        self.init(processID: processID, startTime: startTime, namespace: Self.currentNamespace)
    }

    /// This process.
    public static var current: ProcessIdentity {
        ProcessIdentity(getpid()) ?? ProcessIdentity(processID: getpid(), startTime: 0, namespace: currentNamespace)
    }

    /// Whether the process is there still. One of another process namespace cannot be looked up and counts as there.
    public var isAlive: Bool {
        namespace != Self.currentNamespace || ProcessIdentity(processID) == self
    }

    private static var currentNamespace: UInt64 { FileIdentity("/proc/self/ns/pid")?.inode ?? 0 }

    /// What proc(5)'s stat says from the third field on: state, parent and so on.
    static func fields(of processID: Int32) -> [Substring]? {
        guard let bytes = try? SmallFile.read("/proc/\(processID)/stat") else { return nil }
        // The name before it is in brackets and may hold anything.
        guard let bracket = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        return String(decoding: bytes[(bracket + 1)...], as: UTF8.self).split { $0 == " " || $0 == "\n" }
    }
}

extension RuleTag {
    /// Whether the process that made the lane is there still, as far as its number and its age can tell.
    var makerIsAlive: Bool {
        guard processID > 0, let identity = ProcessIdentity(processID) else { return false }
        let ticks = UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
        let age = BootClock.now - .seconds(Int64(identity.startTime / ticks))
        // One that began after the lane was made has only inherited the number; a second for what rounding takes.
        return time(nil) - Int(age.components.seconds) <= appliedAt + 2
    }
}
