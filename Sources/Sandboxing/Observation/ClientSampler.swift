// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem
internal import Synchronization

/// Records what no packet tells: attempts to connect that a client gave up, sockets that it closed and whose data the
/// kernel goes on to send, who holds a connection, sockets that are open at the end, and how long processes waited for a
/// processor. Each is a line of JSON.
final class ClientSampler: Sendable {
    /// The time between two looks, in microseconds; longer where a look takes long.
    static let pause: UInt32 = 25_000

    private let file: EventFile
    private let isEnding = Mutex(false)
    private let thread = Mutex<PosixThread?>(nil)
    /// Ends the rest between two looks; nil if the kernel has none to give.
    private let wakeup = try? EventFD()

    /// Makes a sampler that appends to `file`.
    init(_ file: EventFile) {
        self.file = file
    }

    /// Starts a thread that looks at the sockets of the caller's network.
    func start() {
        let started = try? PosixThread.start { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Looks a last time, and ends.
    func stop() {
        isEnding.withLock { $0 = true }
        wakeup?.signal()
        thread.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    private func run() {
        var asking: [SocketTable.Entry: Int64] = [:]
        var closing: Set<SocketTable.Entry> = []
        var lastLook = RealClock.now
        var owners = ConnectionOwners()
        var load = LoadSampler()
        file.append(
            JSON(
                ("time", .number(RealClock.now)),
                ("event", "sampling"),
                ("every", .number(Int64(Self.pause) * 1000))
            )
        )
        while true {
            let isLast = isEnding.withLock { $0 }
            let start = RealClock.now
            // Not the time of day: on a busy machine, looks would become rare where they matter.
            let spent = ThreadClock.now
            if let stall = load.take(at: start) { file.append(stall) }
            let states: Set<SocketTable.State> = [.synSent, .established, .finWait1, .closing, .lastAcknowledgment]
            if let entries = SocketTable.entries(in: states) {
                // What is gone was gone by now, and what is there was there at the start.
                let now = RealClock.now
                let living = entries.filter { $0.state == .synSent || $0.state == .established }
                for (entry, owner) in owners.take(living, at: start) { file.append(owned(entry, owner, start)) }
                let held = Set(living.filter { $0.state == .synSent && $0.inode != 0 })
                for (entry, lastSeen) in asking where !held.contains(entry) {
                    file.append(change("asked", entry, lastSeen, now))
                }
                asking = Dictionary(uniqueKeysWithValues: held.map { ($0, start) })
                // A side that only sends no more still has a process that holds the socket.
                let closed = Set(entries.filter { $0.inode == 0 && $0.state != .synSent && $0.state != .established })
                for entry in closed.subtracting(closing) { file.append(change("closed", entry, lastLook, now)) }
                closing = closed
                lastLook = start
            }
            if isLast { break }
            let time = UInt32(clamping: (ThreadClock.now - spent) / 1000)
            rest(max(Self.pause, time * 8))
        }
        postSockets(as: "open")
        // A record without this line ends early.
        file.append(JSON(("time", .number(RealClock.now)), ("event", "sampled")))
    }

    /// Waits for some microseconds, or until the end: the last look must not be late.
    private func rest(_ microseconds: UInt32) {
        guard let wakeup else {
            usleep(microseconds)
            return
        }
        Wait.untilReadable([wakeup.descriptor], limit: .microseconds(Int64(microseconds)))
    }

    /// A socket that asked for a connection at `lastSeen` and does so no more, as it was accepted, refused or closed; or
    /// one that no process holds any more.
    private func change(_ event: String, _ entry: SocketTable.Entry, _ lastSeen: Int64, _ now: Int64) -> JSON {
        JSON(
            ("time", .number(now)),
            ("event", .text(event)),
            ("client", .text(entry.local.text)),
            ("server", .text(entry.remote.text)),
            ("last", .number(lastSeen))
        )
    }

    /// A socket, and the process that holds it.
    private func owned(_ entry: SocketTable.Entry, _ owner: String, _ now: Int64) -> JSON {
        JSON(
            ("time", .number(now)),
            ("event", "owner"),
            ("client", .text(entry.local.text)),
            ("server", .text(entry.remote.text)),
            ("owner", .text(owner))
        )
    }

    /// Notes the sockets that some process holds now.
    func postSockets(as event: String) {
        let open = OpenSockets.current()
        let now = RealClock.now
        for socket in open {
            file.append(
                JSON(
                    ("time", .number(now)),
                    ("event", .text(event)),
                    ("client", .text(socket.local)),
                    ("server", .text(socket.remote)),
                    ("owner", .text(socket.owner))
                )
            )
        }
    }
}
