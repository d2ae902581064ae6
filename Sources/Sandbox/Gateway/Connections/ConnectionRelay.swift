// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Moves bytes, ends of stream and resets between the kernel's end of a client's connection and the connection to the
/// real server. Used only on the thread of `relays.loop`.
final class ConnectionRelay {
    /// One direction of the relay.
    private struct Direction {
        var pipe: BytePipe?
        /// Whether the source has ended.
        var hasEnded = false
        /// Whether the target was shut down for writing, after the source's end.
        var isOver = false
        var held: Int { pipe?.held ?? 0 }
    }

    /// The outcome of a direction in one turn.
    private enum Outcome {
        case going
        /// The source was reset; all bytes before the reset are in the target's socket.
        case sourceWasReset
        /// No pipe could be made.
        case failed
    }

    /// The most bytes that one turn of the loop moves in one direction, and that one splice(2) moves.
    private static let (budget, piece) = (1 << 20, 1 << 16)

    private let relays: Relays
    private let number: Int
    private var client: RelayedSocket
    private var server: RelayedSocket
    private var down = Direction()
    private var up = Direction()
    private var pace = LinkPace()
    private var isOver = false

    /// Takes ownership of both descriptors. The loop retains the relay until both are closed.
    init(number: Int, client: CInt, server: CInt, _ relays: Relays) throws(SystemError) {
        (self.relays, self.number) = (relays, number)
        (self.client, self.server) = (RelayedSocket(client), RelayedSocket(server))
        self.client.relay = self
        self.server.relay = self
        pace.follow(client)
        do throws(SystemError) {
            self.client.watch = try relays.loop.watch(client, for: .readable, owner: self.client)
            self.server.watch = try relays.loop.watch(server, for: .readable, owner: self.server)
        } catch {
            abort()
            throw error
        }
    }

    /// Moves all bytes that can be moved now, and watches the sockets for the rest.
    func work() {
        guard !isOver else { return }
        let outcomes = (move(&down, from: server, to: client), move(&up, from: client, to: server))
        if outcomes.0 == .sourceWasReset { return reset(client.descriptor, .zero) }
        if outcomes.1 == .sourceWasReset { return reset(server.descriptor, .zero) }
        guard outcomes == (.going, .going) else { return abort() }
        if down.isOver && up.isOver { return end() }
        pace.follow(client.descriptor)
        client.watch?.interest = interest(reads: up, writes: down)
        server.watch?.interest = interest(reads: down, writes: up)
    }

    private func interest(reads: Direction, writes: Direction) -> Readiness {
        var result: Readiness = []
        if !reads.hasEnded, reads.held == 0 { result.insert(.readable) }
        if writes.held > 0 { result.insert(.writable) }
        return result
    }

    private func move(_ direction: inout Direction, from source: RelayedSocket, to target: RelayedSocket) -> Outcome {
        // The source may still be reset after its end of stream, if it refuses the bytes of the other direction.
        guard !direction.isOver else { return source.wasReset ? .sourceWasReset : .going }
        var moved = 0
        while moved < Self.budget {
            if direction.held == 0, !direction.hasEnded {
                guard var pipe = direction.pipe ?? relays.pipes.next() else { return .failed }
                var count = lc_move_bytes(source.descriptor, pipe.writing, UInt(Self.piece))
                // splice(2) stops at urgent data, as if there were nothing more (net/ipv4/tcp.c, tcp_read_sock).
                if count == 0 || count == -Int(EAGAIN) { count = source.copy(to: pipe) }
                if count > 0 { pipe.held = count }
                direction.pipe = pipe
                if count == -Int(EAGAIN) { break }
                guard count >= 0, !(count == 0 && source.wasReset) else { return .sourceWasReset }
                direction.hasEnded = count == 0
            }
            if direction.held > 0 {
                guard let pipe = direction.pipe else { return .failed }
                let count = lc_move_bytes(pipe.reading, target.descriptor, UInt(pipe.held))
                if count == -Int(EAGAIN) { return .going }
                guard count > 0 else {
                    // The target was reset. The bytes that it sent before are still delivered; then its direction
                    // reports the reset.
                    target.wasReset = true
                    return .going
                }
                direction.pipe?.held -= count
                moved += count
            } else if direction.hasEnded {
                // The upload is complete: if this process ends from now on, the socket may be closed normally.
                if target === server {
                    RelayedSocket.resetsAtClose(target.descriptor, false)
                    relays.hasUploaded(number)
                }
                shutdown(target.descriptor, CInt(SHUT_WR))
                direction.isOver = true
                break
            }
        }
        if direction.held == 0, let pipe = direction.pipe {
            relays.pipes.giveBack(pipe)
            direction.pipe = nil
        }
        return .going
    }

    /// The time until a connection with a lost client is closed: about as long as a kernel retransmits data (tcp(7),
    /// tcp_retries2).
    private static let rest = Duration.seconds(900)

    /// Drops all packets from the server from now on, acknowledgements included, and closes the connection after
    /// `rest`.
    func makeDeaf() {
        guard !isOver else { return }
        lc_make_deaf(server.descriptor)
        relays.loop.schedule(after: Self.rest) { [weak self] in self?.abort() }
    }

    /// How long a reset may be delayed for the bytes before it, and the first interval between checks.
    private static let (resetTimeout, interval) = (Duration.seconds(60), Duration.milliseconds(5))

    /// Resets both connections, since one socket was reset, but only when all earlier bytes to the other, `target`, are
    /// acknowledged, or after `resetTimeout`. `waited` is the time since the reset.
    /// bytes.
    private func reset(_ target: CInt, _ waited: Duration) {
        guard !isOver else { return }
        for socket in [client, server] { socket.endWatch() }
        var sending = lc_sending()
        guard lc_sending(target, &sending) == 0, sending.waiting > 0, waited < Self.resetTimeout else { return abort() }
        let next = waited < .milliseconds(100) ? Self.interval : .milliseconds(100)
        relays.loop.schedule(after: next) { self.reset(target, waited + next) }
    }

    /// Ends the relay: both directions have ended.
    private func end() { finish { close($0) } }

    /// Ends the relay and resets both connections: a cut transfer must not look complete.
    private func abort() { finish { lc_close_abruptly($0) } }

    private func finish(_ close: (CInt) -> Void) {
        guard !isOver else { return }
        isOver = true
        for pipe in [down.pipe, up.pipe] { pipe.map { relays.pipes.giveBack($0) } }
        (down.pipe, up.pipe) = (nil, nil)
        for socket in [client, server] {
            socket.endWatch()
            socket.relay = nil
            close(socket.descriptor)
        }
        relays.hasEnded(number)
    }

    func loopHasEnded() { abort() }
}

/// A socket of a relay.
final class RelayedSocket: DescriptorOwner {
    let descriptor: CInt
    fileprivate var watch: DescriptorWatch?
    fileprivate var relay: ConnectionRelay?
    fileprivate var wasReset = false

    fileprivate init(_ descriptor: CInt) { self.descriptor = descriptor }

    func descriptorIsReady(_ readiness: Readiness) {
        guard readiness.contains(.failed) else {
            relay?.work()
            return
        }
        takeError()
        relay?.work()
        // A failed socket stays ready, so the loop would spin while the other socket accepts nothing. From here on, the
        // other socket's readiness drives the relay.
        endWatch()
    }

    fileprivate func endWatch() {
        watch?.end()
        watch = nil
    }

    /// Copies up to a page to the pipe with recv(2), which returns urgent data in the stream: SO_OOBINLINE of
    /// socket(7). Returns the number of bytes, 0 at the end of the stream, or a negative errno.
    fileprivate func copy(to pipe: BytePipe) -> Int {
        withUnsafeTemporaryAllocation(byteCount: BytePipe.surelyWritten, alignment: 16) { room in
            let count = recv(descriptor, room.baseAddress, room.count, CInt(MSG_DONTWAIT))
            guard count > 0 else { return count == 0 ? 0 : -Int(errno) }
            return write(pipe.writing, room.baseAddress, count)
        }
    }

    /// Clears the socket's pending error, and sets `wasReset` if there was one.
    fileprivate func takeError() { if lc_take_pending_error(descriptor) != 0 { wasReset = true } }

    func loopHasEnded() { relay?.loopHasEnded() }

    /// Sets whether the kernel resets the connection when the socket is closed, also because its process was killed.
    static func resetsAtClose(_ socket: CInt, _ resets: Bool) {
        var value = linger(l_onoff: resets ? 1 : 0, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
