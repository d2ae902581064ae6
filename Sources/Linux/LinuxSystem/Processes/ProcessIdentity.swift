// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// The identity of a process, which differs from any later process with the same process ID.
public struct ProcessIdentity: Hashable, Sendable {
    /// The process ID.
    public var processID: Int32
    /// The time at which the process started, in clock ticks since the machine started: field 22 of /proc/PID/stat.
    public var startTime: UInt64
    /// The inode of the PID namespace in which the process ID is valid.
    public var namespace: UInt64

    /// The inode of the initial PID namespace, which contains all others (PROC_PID_INIT_INO).
    package static let initialNamespace: UInt64 = 0xEFFF_FFFC

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

    /// The identity of the calling process.
    public static var current: ProcessIdentity {
        ProcessIdentity(getpid()) ?? ProcessIdentity(processID: getpid(), startTime: 0, namespace: currentNamespace)
    }

    /// Whether the process is running. A process that this one cannot examine counts as running: it is in another PID
    /// namespace, hidden by /proc's mount options, or there is no memory or descriptor to read its state.
    public var isAlive: Bool {
        guard isOfThisNamespace else { return isVisibleElsewhere || !Self.seesAll }
        if let status = ProcessStatus(processID) { return !status.hasEnded && status.startTime == startTime }
        // kill(2) needs neither memory nor a descriptor; IDs of 0 and below would name groups.
        return processID > 0 && (kill(processID, 0) == 0 || errno == EPERM)
    }

    /// Whether the identity's process ID is valid in the PID namespace of this process.
    package var isOfThisNamespace: Bool { namespace == Self.currentNamespace }

    /// Whether this process sees the processes of every PID namespace.
    package static var seesAll: Bool {
        // Another user's link is readable only to a process that may trace that user's process.
        currentNamespace == initialNamespace && FileIdentity("/proc/1/ns/pid")?.inode == initialNamespace
    }

    /// Whether the process runs in a PID namespace below this process's, where it has another process ID.
    private var isVisibleElsewhere: Bool {
        let processes = DirectoryListing.numbers(in: "/proc")
        // The list includes at least this process: if it is empty, /proc could not be read.
        guard !processes.isEmpty else { return true }
        return processes.contains { process in
            guard FileIdentity("/proc/\(process)/ns/pid")?.inode == namespace,
                let status = ProcessStatus(process), status.startTime == startTime, !status.hasEnded
            else { return false }
            let line = ProcFile("/proc/\(process)/status").lines.first { $0.hasPrefix("NSpid:") }
            return line?.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) } == processID
        }
    }

    private static var currentNamespace: UInt64 { FileIdentity("/proc/self/ns/pid")?.inode ?? 0 }
}

/// Refers to one process permanently, unlike a process ID: pidfd_open(2).
package final class ProcessHandle: Sendable {
    /// Readable when the process has ended.
    package let descriptor: CInt

    /// Opens a handle for the process that has this ID now.
    package init(_ process: Int32) throws(SystemError) {
        descriptor = try checked(lc_open_process(process), "find process \(process)")
    }

    deinit { close(descriptor) }

    /// Sends a signal; does nothing if the process has ended.
    package func signal(_ number: CInt) { lc_signal_process(descriptor, number) }
}
