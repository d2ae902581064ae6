// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem

/// Accepts the connections of a listening socket, on an event loop.
package final class StreamListener: DescriptorOwner {
    /// The maximum number of connections accepted in one turn, so that the loop's other descriptors get their turn.
    private static let maximumAtOnce = 16
    /// The pause after accept(2) failed for lack of descriptors or memory: the socket stays ready meanwhile.
    private static let rest = Duration.milliseconds(100)

    private let loop: EventLoop
    private let accept: (CInt) -> Void
    private var watch: DescriptorWatch?

    /// Takes ownership of `descriptor`, listens at it, and passes each accepted connection, closed on exec, to
    /// `accept`.
    package init(_ descriptor: CInt, on loop: EventLoop, accept: @escaping (CInt) -> Void) throws(SystemError) {
        (self.loop, self.accept) = (loop, accept)
        // Non-blocking, since a connection may be gone before it is accepted.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        do {
            watch = try loop.watch(descriptor, for: .readable, owner: self)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
    }

    package func close() {
        guard let watch else { return }
        self.watch = nil
        watch.end()
        Glibc.close(watch.descriptor)
    }

    package func loopHasEnded() { close() }

    package func descriptorIsReady(_ readiness: Readiness) {
        for _ in 0..<Self.maximumAtOnce {
            guard let watch else { return }
            let connection = lc_accept(watch.descriptor)
            switch -connection {
            case ...0: accept(connection)
            case EAGAIN: return
            // The connection's own errors: accept(2).
            case EINTR, ECONNABORTED, EPERM, EPROTO, ENETDOWN, EHOSTDOWN, ENONET, EHOSTUNREACH, ENETUNREACH: continue
            default:
                watch.interest = []
                loop.schedule(after: Self.rest) { self.watch?.interest = .readable }
                return
            }
        }
    }
}
