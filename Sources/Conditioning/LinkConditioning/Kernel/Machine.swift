// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
package import PacketPump
internal import TrafficControl

/// The machine as this module sees it: the kernel, the journal's files, the time, and other processes. Tests pass a
/// simulated machine, in which a process can be killed at any request.
protocol Machine {
    /// Connects to the network that the calling thread is in.
    func connect() throws(ConditioningError) -> RouteConnection
    var kernel: KernelFacts { get }
    var pumps: any PumpControl { get }
    /// Whether the pump that serves a TAP device leaves all queries unanswered.
    func isStopped(tap: String) -> Bool
    /// Makes a guard for the connection over which the user is logged in.
    func lockoutGuard(isInitialNetwork: Bool, _ network: RouteConnection) -> LockoutGuard
    /// The file systems and block devices of this machine that other hosts serve.
    var networkStorage: [NetworkStorage] { get }

    /// The ID of the boot; nil if it cannot be read.
    var bootID: String? { get }
    /// The number of the network that the calling thread is in; nil if it has none.
    var networkNumber: NetworkIdentity.Number? { get }
    /// The network that the calling thread is in. With `marksIfNeeded`, gives the network a number if it has none.
    ///
    /// - Throws: the reason why the network cannot be identified.
    func journalNetwork(marksIfNeeded: Bool) throws(SystemError) -> JournalNetwork?
    /// The journal, created if necessary; nil if no directory is usable and none is required.
    func openJournal() throws(ConditioningError) -> Journal?
    /// The existing journal; nil if there is none.
    ///
    /// - Throws: the reason why the journal cannot be read; see ``Journal/existing()``.
    func existingJournal() throws(SystemError) -> Journal?

    /// The time by `BootClock`.
    var now: Duration { get }
    func sleep(_ time: Duration)
    /// The calling process.
    var process: ProcessIdentity { get }
    func isAlive(_ process: ProcessIdentity) -> Bool
    func makerIsAlive(_ alias: LaneAlias) -> Bool
    func startGuardian(_ task: GuardianTask) throws(ConditioningError) -> Guardian

    /// Whether only guardians and pumps are in the network, and no mount names it.
    var isNetworkUnused: Bool { get }
    /// Returns a descriptor that becomes readable when a file of `directory` is replaced or deleted; negative on
    /// failure.
    func watch(_ directory: String) -> CInt
    /// Discards the pending events of a descriptor from `watch`.
    func drain(_ descriptor: CInt)
    /// Waits until one of `descriptors` is readable or closed, or until `limit` has passed; returns false in the latter
    /// case.
    @discardableResult
    func waitUntilReadable(_ descriptors: [CInt], limit: Duration?) -> Bool
}

extension Machine {
    /// Whether `descriptor` is readable now, also at end of file.
    func isReadable(_ descriptor: CInt) -> Bool { waitUntilReadable([descriptor], limit: .zero) }

    /// Whether the lane belongs to a running process, such as the supervisor of a sandbox.
    func isHeld(_ alias: LaneAlias) -> Bool { alias.isHeld && makerIsAlive(alias) }

    /// Makes an executor whose pump steps go to the pumps in the network that the process is in.
    func executor(_ connection: RouteConnection, home: RouteConnection? = nil) -> PlanExecutor {
        PlanExecutor(connection, home: home, pumps: pumps, pace: pace)
    }

    private var pace: Pace {
        // Unsafe, since a test's machine is not Sendable; but the pace is used only on the thread that has the machine.
        nonisolated(unsafe) let machine: any Machine = self
        return Pace(now: { machine.now }, sleep: { machine.sleep($0) })
    }
}

extension Machine where Self == RealMachine {
    static var real: RealMachine { RealMachine() }
}

/// The machine that the process runs on.
struct RealMachine: Machine {
    /// The client that reaches pumps at their sockets beside the journal.
    static let client = PumpClient(
        .sockets { tap in
            guard let lane = LaneName(tap), let journal = try? Journal.existing(),
                let network = try? JournalNetwork.current
            else { return nil }
            return journal.pumpSockets(of: lane.deviceIndex, in: network)
        }
    )

    func connect() throws(ConditioningError) -> RouteConnection { try .current() }
    var kernel: KernelFacts { .current() }
    /// The client for the pumps: the one at their sockets beside the journal, unless another is given.
    var client = Self.client
    var pumps: any PumpControl { client }
    func isStopped(tap: String) -> Bool { client.isStopped(tap: tap) }
    var networkStorage: [NetworkStorage] { NetworkStorage.all() }

    func lockoutGuard(isInitialNetwork: Bool, _ network: RouteConnection) -> LockoutGuard {
        .current(isInitialNetwork: isInitialNetwork, network)
    }

    var bootID: String? { JournalNetwork.currentBootID }
    var networkNumber: NetworkIdentity.Number? { .current }
    func journalNetwork(marksIfNeeded: Bool) throws(SystemError) -> JournalNetwork? {
        try marksIfNeeded ? .currentMarkedIfNeeded() : .current
    }
    func openJournal() throws(ConditioningError) -> Journal? { try .open() }
    func existingJournal() throws(SystemError) -> Journal? { try .existing() }

    var now: Duration { BootClock.now }
    func sleep(_ time: Duration) { Pace.real.sleep(time) }
    var process: ProcessIdentity { .current }
    func isAlive(_ process: ProcessIdentity) -> Bool { process.isAlive }
    func makerIsAlive(_ alias: LaneAlias) -> Bool { alias.makerIsAlive }
    func startGuardian(_ task: GuardianTask) throws(ConditioningError) -> Guardian { try .fork(task) }

    var isNetworkUnused: Bool { NetworkUse.isUnused() }
    func watch(_ directory: String) -> CInt {
        let changes = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        if changes >= 0 { inotify_add_watch(changes, directory, UInt32(IN_MOVED_TO | IN_DELETE)) }
        return changes
    }
    func drain(_ descriptor: CInt) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
    func waitUntilReadable(_ descriptors: [CInt], limit: Duration?) -> Bool {
        Wait.untilReadable(descriptors, limit: limit)
    }
}

extension InterfaceConditioner {
    /// The client that reaches the pumps of the calling thread's network.
    package static var pumps: PumpClient { RealMachine.client }
}
