// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Moves bytes between the kernel's end of a client's connection and the connection to the real server: end of stream and
/// reset, too. Used on its loop's thread.
final class ConnectionRelay {
    /// One direction.
    private struct Direction {
        var pipe: BytePipe?
        /// Whether the source has ended.
        var hasEnded = false
        /// Whether the target was told so.
        var isOver = false
        var held: Int { pipe?.held ?? 0 }
    }

    /// The most that one turn of the loop moves in one direction, and by how many bytes at a time.
    private static let (budget, piece) = (1 << 20, 1 << 16)

    private let relays: Relays
    private let number: Int
    private var client: RelayedSocket
    private var server: RelayedSocket
    private var down = Direction()
    private var up = Direction()
    private var isOver = false

    /// Owns both descriptors from now on. The loop keeps it until both are closed.
    init(number: Int, client: CInt, server: CInt, _ relays: Relays) throws(SystemError) {
        (self.relays, self.number) = (relays, number)
        (self.client, self.server) = (RelayedSocket(client), RelayedSocket(server))
        self.client.relay = self
        self.server.relay = self
        do throws(SystemError) {
            self.client.watch = try relays.loop.watch(client, for: .readable, owner: self.client)
            self.server.watch = try relays.loop.watch(server, for: .readable, owner: self.server)
        } catch {
            abort()
            throw error
        }
    }

    /// Moves what can be moved, and watches for the rest.
    func work(_ readiness: Readiness) {
        guard !isOver else { return }
        let isAlive =
            move(&down, from: server.descriptor, to: client.descriptor)
            && move(&up, from: client.descriptor, to: server.descriptor)
        guard isAlive else { return abort() }
        if down.isOver && up.isOver { return end() }
        client.watch?.interest = interest(reads: up, writes: down)
        server.watch?.interest = interest(reads: down, writes: up)
    }

    private func interest(reads: Direction, writes: Direction) -> Readiness {
        var result: Readiness = []
        if !reads.hasEnded, reads.held == 0 { result.insert(.readable) }
        if writes.held > 0 { result.insert(.writable) }
        return result
    }

    /// False if one of the connections was reset.
    private func move(_ direction: inout Direction, from source: CInt, to target: CInt) -> Bool {
        guard !direction.isOver else { return true }
        var moved = 0
        while moved < Self.budget {
            if direction.held == 0, !direction.hasEnded {
                guard var pipe = direction.pipe ?? relays.pipes.next() else { return false }
                let count = lc_move_bytes(source, pipe.writing, UInt(Self.piece))
                if count > 0 { pipe.held = count }
                direction.pipe = pipe
                if count == -Int(EAGAIN) { break }
                guard count >= 0 else { return false }
                direction.hasEnded = count == 0
            }
            if direction.held > 0 {
                guard let pipe = direction.pipe else { return false }
                let count = lc_move_bytes(pipe.reading, target, UInt(pipe.held))
                if count == -Int(EAGAIN) { return true }
                guard count > 0 else { return false }
                direction.pipe?.held -= count
                moved += count
            } else if direction.hasEnded {
                shutdown(target, CInt(SHUT_WR))
                direction.isOver = true
                break
            }
        }
        if direction.held == 0, let pipe = direction.pipe {
            relays.pipes.giveBack(pipe)
            direction.pipe = nil
        }
        return true
    }

    /// Both ways have ended.
    private func end() { finish { close($0) } }

    /// One of them was reset, so the other is, too: a cut transfer must not look whole.
    private func abort() { finish { lc_close_abruptly($0) } }

    private func finish(_ close: (CInt) -> Void) {
        guard !isOver else { return }
        isOver = true
        for pipe in [down.pipe, up.pipe] { pipe.map { relays.pipes.giveBack($0) } }
        (down.pipe, up.pipe) = (nil, nil)
        for socket in [client, server] {
            socket.watch?.end()
            socket.relay = nil
            close(socket.descriptor)
        }
        relays.hasEnded(number)
    }

    func loopHasEnded() { abort() }
}

/// One of the two sockets.
private final class RelayedSocket: DescriptorOwner {
    let descriptor: CInt
    var watch: DescriptorWatch?
    var relay: ConnectionRelay?

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    func descriptorIsReady(_ readiness: Readiness) { relay?.work(readiness) }

    func loopHasEnded() { relay?.loopHasEnded() }
}
