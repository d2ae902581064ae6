// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
import Glibc
internal import LinuxSystem
internal import SandboxClient
internal import Synchronization

/// Records facts that packets do not show, each as a line of JSON: connection attempts that a client gave up, sockets
/// that a client closed while the kernel still sends their data, connections that the kernel gave up, the process that
/// holds each connection, the sockets that are open at the end, how long processes waited for a processor, and changes
/// of the time of day.
final class ClientSampler: Sendable {
    /// The time between two samples, in microseconds; longer if a sample takes long.
    static let pause: UInt32 = 25_000

    /// The states of a socket whose FIN is not acknowledged yet.
    private static let sending: Set<SocketTable.State> = [.finWait1, .closing, .lastAcknowledgment]
    /// The states of the sockets that are sampled.
    private static let states = sending.union([.synSent, .established, .closeWait])

    private let file: EventFile
    private let state = Mutex(State())
    private let thread = Mutex<PosixThread?>(nil)
    /// Ends the pause between two samples; nil if the kernel gives no descriptor.
    private let wakeup = try? EventFD()

    private struct State {
        var isEnding = false
        var hasEnded = false
        /// The callbacks that wait for the next sample.
        var waiting: [@Sendable () -> Void] = []
    }

    init(_ file: EventFile) { self.file = file }

    /// Starts a thread that samples the sockets of the caller's network.
    func start() {
        let started = try? PosixThread.start { [self] in run() }
        if started == nil { state.withLock { $0.hasEnded = true } }
        thread.withLock { $0 = started }
    }

    /// Takes a last sample, and ends the thread.
    func stop() {
        state.withLock { $0.isEnding = true }
        wakeup?.signal()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Takes a sample at once, and calls `body` on any thread when the sample is in the file.
    func look(then body: @escaping @Sendable () -> Void) {
        let isWaiting = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.waiting.append(body)
            return true
        }
        guard isWaiting else { return body() }
        wakeup?.signal()
    }

    private func run() {
        var asking: [SocketTable.Entry: Int64] = [:]
        var closing: Set<SocketTable.Entry> = []
        var connected: Set<SocketTable.Pair> = []
        var lastLook = RunClock.now
        var owners = ConnectionOwners()
        var changes = SocketChanges()
        var load = LoadSampler()
        var calendar = CalendarOffset()
        file.append(.sampling(every: .microseconds(Self.pause)))
        while true {
            wakeup?.clear()
            let (isLast, waiting) = state.withLock { state in
                defer { state.waiting = [] }
                state.hasEnded = state.isEnding
                return (state.isEnding, state.waiting)
            }
            let start = RunClock.now
            // The pause depends on processor time, not on elapsed time: on a busy machine, samples would become rare
            // where they matter.
            let spent = ThreadClock.now
            if let stall = load.wait(at: start) { file.append(stall, at: Instant(nanoseconds: start)) }
            if let change = calendar.change() {
                file.append(.timeOfDaySet(by: change), at: Instant(nanoseconds: start))
            }
            let mayDiffer = changes.areLikely(.current)
            if !mayDiffer, !isLast, waiting.isEmpty {
                lastLook = start
            } else if let entries = SocketTable.entries(in: Self.states) {
                // A socket that is missing now was closed before `now`; a listed one was open at `start`.
                let now = RunClock.now
                let living = entries.filter { $0.state == .synSent || $0.state == .established }
                for (entry, owner, holder) in owners.find(living, at: start) {
                    append(entry, at: start) { .owner($0, owner, holder) }
                }
                let held = Set(living.filter { $0.state == .synSent && $0.inode != 0 })
                for (entry, lastSeen) in asking where !held.contains(entry) {
                    append(entry, at: now) { .asked($0, last: Instant(nanoseconds: lastSeen)) }
                }
                asking = Dictionary(uniqueKeysWithValues: held.map { ($0, start) })
                // After shutdown(2) alone, some process still holds the socket, whose inode is then not 0.
                let closed = Set(entries.filter { $0.inode == 0 && Self.sending.contains($0.state) })
                for entry in closed.subtracting(closing) {
                    append(entry, at: now) { [lastLook] in .closed($0, last: Instant(nanoseconds: lastLook)) }
                }
                closing = closed
                for pair in connected.subtracting(entries.map(\.pair)) {
                    guard let ends = pair.ends else { continue }
                    file.append(.removed(ends, last: Instant(nanoseconds: lastLook)), at: Instant(nanoseconds: now))
                }
                connected = Set(entries.filter(\.isConnected).map(\.pair))
                lastLook = start
                changes.note(entries, areOwnersKnown: owners.isComplete)
            }
            waiting.forEach { $0() }
            if isLast { break }
            let time = UInt32(clamping: (ThreadClock.now - spent) / 1000)
            rest(max(Self.pause, time * 8))
        }
        postSockets { .open($0, owner: $1) }
        // A record without this line is incomplete.
        file.append(.sampled)
    }

    /// Waits for some microseconds, or until a sample is requested or the sampler ends: the last sample must not be
    /// late.
    private func rest(_ microseconds: UInt32) {
        guard let wakeup else {
            usleep(microseconds)
            return
        }
        Wait.untilReadable([wakeup.descriptor], limit: .microseconds(Int64(microseconds)))
    }

    /// Appends an event about a socket.
    private func append(_ entry: SocketTable.Entry, at time: Int64, _ event: (SocketEnds) -> RunEvent.Kind) {
        guard let socket = entry.ends else { return }
        file.append(event(socket), at: Instant(nanoseconds: time))
    }

    /// Appends an event for each socket that some process holds now.
    func postSockets(as event: (SocketEnds, String?) -> RunEvent.Kind) {
        let (sockets, now) = (OpenSockets.current(), Instant.now)
        for open in sockets { file.append(event(open.socket, open.owner), at: now) }
    }
}

extension SocketTable.Entry {
    /// Whether a process holds the socket, and the other side has accepted the connection.
    fileprivate var isConnected: Bool { inode != 0 && (state == .established || state == .closeWait) }
}
