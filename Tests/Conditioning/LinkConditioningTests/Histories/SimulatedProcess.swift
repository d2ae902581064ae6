// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import LinkProfiles
import LinkRules
import LinuxSystem
import PacketPump

@testable import LinkConditioning
@testable import Netlink
@testable import TrafficControl

/// One process of a simulated host. What it asks for after it was killed has no effect.
final class SimulatedProcess: Machine, JournalFiles, NetlinkTransport, @unchecked Sendable {
    let host: SimulatedHost
    let name: String
    let process: ProcessIdentity
    /// The interface that it works on; nil for all.
    let interface: String?
    let isGuardian: Bool
    let turn = DispatchSemaphore(value: 0)
    var isDead = false
    private(set) var hasEnded = false
    /// The number of requests so far.
    private(set) var steps = 0
    private let killedAt: Int?
    private var isBlocked = false
    private(set) var wakesAt: Duration?
    private var awaited: () -> Bool = { false }
    private var watched: [CInt: Int] = [:]

    /// The directory of the journal.
    static let directory = "/run/linkcond"

    init(
        _ host: SimulatedHost,
        _ id: Int32,
        _ name: String,
        _ interface: String?,
        isGuardian: Bool,
        killedAt step: Int?
    ) {
        self.host = host
        self.name = name
        self.interface = interface
        self.isGuardian = isGuardian
        process = ProcessIdentity(
            processID: id,
            startTime: UInt64(id),
            namespace: ProcessIdentity.initialNamespace
        )
        killedAt = step
    }

    func end() { hasEnded = true }

    // MARK: Turns

    func isReady(at now: Duration) -> Bool {
        guard !hasEnded else { return false }
        guard isBlocked, !isDead else { return true }
        return wakesAt.map { $0 <= now } ?? false || awaited()
    }

    /// Counts a request; false if the process is dead, or is killed instead of making it.
    private func step() -> Bool {
        guard !isDead else { return false }
        steps += 1
        if steps == killedAt {
            host.kill(self)
            return false
        }
        host.requests += 1
        host.now += .microseconds(50)
        if host.isInterrupted(self) { host.wait(self) }
        return !isDead
    }

    /// Waits for a time, or for what `isReady` tells, or until the process is killed.
    func wait(until time: Duration?, or isReady: @escaping () -> Bool = { false }) {
        guard !isDead else { return }
        (isBlocked, awaited, wakesAt) = (true, isReady, time)
        host.wait(self)
        (isBlocked, awaited, wakesAt) = (false, { false }, nil)
    }

    // MARK: Kernel

    func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        guard step() else { throw NetlinkError(operation: request.operation, code: EOWNERDEAD) }
        return [host.kernel.answer(request.bytes)]
    }

    func connect() throws(ConditioningError) -> RouteConnection { RouteConnection(self) }
    var kernel: KernelFacts { host.facts }
    var pumps: any PumpControl { PumpClient(.sockets { _ in nil }) }
    func isStopped(tap: String) -> Bool { false }
    var networkStorage: [NetworkStorage] { [] }
    func lockoutGuard(isInitialNetwork: Bool, _ network: RouteConnection) -> LockoutGuard {
        LockoutGuard(connection: nil, carriers: [])
    }

    // MARK: Journal

    private static let dead = SystemError(operation: "go on", code: EOWNERDEAD)

    var bootID: String? { host.bootID }
    var networkNumber: NetworkIdentity.Number? { .cookie(1) }
    func journalNetwork(marksIfNeeded: Bool) -> JournalNetwork? {
        JournalNetwork(bootID: host.bootID, identity: NetworkIdentity(inode: 4_026_531_840, number: .cookie(1)))
    }
    func openJournal() throws(ConditioningError) -> Journal? { existingJournal() }
    func existingJournal() -> Journal? { Journal(directory: Self.directory, on: self, self) }

    func read(_ path: String) throws(SystemError) -> [UInt8] {
        guard step() else { throw Self.dead }
        guard !host.isUnreadable(self), path != host.unreadableFile else {
            throw SystemError(operation: "read \(path)", code: EIO)
        }
        guard let file = host.files[path] else { throw SystemError(operation: "open \(path)", code: ENOENT) }
        return file.bytes
    }

    func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        try remove(path)
        guard step() else { throw Self.dead }
        if let room = host.roomForFiles {
            guard room > 0 else { throw SystemError(operation: "create \(path)", code: ENOSPC) }
            host.roomForFiles = room - 1
        }
        host.files[path] = SimulatedHost.File(number: host.nextNumber(), bytes: [])
        guard step() else { throw Self.dead }
        host.files[path]?.bytes = bytes
    }

    func move(_ path: String, to target: String) throws(SystemError) {
        guard step() else { throw Self.dead }
        guard !host.isReadOnly else { throw SystemError(operation: "rename \(path)", code: EROFS) }
        guard let file = host.files.removeValue(forKey: path) else {
            throw SystemError(operation: "rename \(path)", code: ENOENT)
        }
        host.files[target] = file
        host.changes += 1
    }

    func remove(_ path: String) throws(SystemError) {
        guard step() else { throw Self.dead }
        guard !host.isReadOnly || host.files[path] == nil else {
            throw SystemError(operation: "delete \(path)", code: EROFS)
        }
        if host.files.removeValue(forKey: path) != nil { host.changes += 1 }
    }

    func exists(_ path: String) -> Bool { step() && host.files[path] != nil }

    func names(in directory: String) -> [String] {
        guard step() else { return [] }
        return host.files.keys.map { String($0.dropFirst(directory.count + 1)) }.sorted()
    }

    func lock(_ path: String, holder: String, lockTimeout: Duration) throws(InterfaceLock.Failure) -> any FileLock {
        let deadline = host.now + lockTimeout
        while true {
            guard step() else { throw .file(Self.dead) }
            let file = host.files[path] ?? SimulatedHost.File(number: host.nextNumber(), bytes: [])
            host.files[path] = file
            guard step() else { throw .file(Self.dead) }
            if host.locks[file.number] == nil {
                host.locks[file.number] = process.processID
                let lock = Lock(self, path, file.number)
                // The previous holder may have deleted the file.
                guard step() else { throw .file(Self.dead) }
                guard host.files[path]?.number == file.number else { continue }
                host.files[path]?.bytes = Array(holder.utf8)
                return lock
            }
            guard host.now < deadline else {
                throw .busy(String(decoding: host.files[path]?.bytes ?? [], as: UTF8.self))
            }
            sleep(.milliseconds(5))
        }
    }

    private final class Lock: FileLock {
        private let owner: SimulatedProcess
        private let path: String
        private let number: Int

        init(_ owner: SimulatedProcess, _ path: String, _ number: Int) {
            (self.owner, self.path, self.number) = (owner, path, number)
        }

        deinit {
            guard !owner.isDead, owner.host.locks[number] == owner.process.processID else { return }
            owner.host.locks[number] = nil
        }

        func forget() { try? owner.remove(path) }
    }

    // MARK: Time and processes

    var now: Duration { host.now }

    func sleep(_ time: Duration) {
        guard step() else { return }
        wait(until: host.now + time)
    }

    func isAlive(_ process: ProcessIdentity) -> Bool { host.isAlive(process.processID) }
    func makerIsAlive(_ alias: LaneAlias) -> Bool { host.isAlive(alias.processID) }

    func startGuardian(_ task: GuardianTask) throws(ConditioningError) -> Guardian {
        guard task.pump == nil, step(), let ends = try? MessageChannel.pair() else {
            throw ConditioningError(.unsupported, "no guardian can be started")
        }
        ends.0.close()
        ends.1.close()
        let parent = process.processID
        nonisolated(unsafe) let task = task
        let guardian = host.start("guardian of \(task.interface)", on: task.interface, isGuardian: true) { process in
            guard let state = GuardianState(task.makeRule(process.process)) else { return }
            GuardianLoop(
                machine: process,
                index: task.index,
                lifeline: parent,
                isTied: task.isTied,
                signals: nil,
                pump: nil,
                standby: nil,
                state: state,
                heartbeat: nil
            ).run()
        }
        return Guardian(identity: guardian.process, lifeline: ends.0)
    }

    // MARK: Descriptors: a process's own ID is that of its lifeline

    var isNetworkUnused: Bool { false }

    func watch(_ directory: String) -> CInt {
        guard step() else { return -1 }
        let descriptor = CInt(3 + watched.count)
        watched[descriptor] = host.changes
        return descriptor
    }

    func drain(_ descriptor: CInt) {
        guard step() else { return }
        watched[descriptor] = host.changes
    }

    func waitUntilReadable(_ descriptors: [CInt], limit: Duration?) -> Bool {
        guard step() else { return true }
        if limit != .zero, !descriptors.contains(where: isReadableNow) {
            wait(until: limit.map { host.now + $0 }) { descriptors.contains(where: self.isReadableNow) }
        }
        return isDead || descriptors.contains(where: isReadableNow)
    }

    private func isReadableNow(_ descriptor: CInt) -> Bool {
        if let seen = watched[descriptor] { return seen != host.changes }
        return descriptor >= 100_000_000 && !host.isAlive(descriptor)
    }
}
