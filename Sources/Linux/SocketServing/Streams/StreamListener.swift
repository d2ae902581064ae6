// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinuxSystem

/// Accepts the connections of a listening socket, on an event loop.
package final class StreamListener: DescriptorOwner {
    /// The number of connections that one turn accepts: the others of the loop have their turn, too.
    private static let maximumAtOnce = 16
    /// The time to wait for descriptors or memory: the socket stays ready meanwhile.
    private static let rest = Duration.milliseconds(100)

    private let loop: EventLoop
    private let accept: (CInt) -> Void
    private var watch: DescriptorWatch?

    /// Listens at `descriptor`, which it owns from now on, and hands each connection to `accept`, closed on exec.
    package init(_ descriptor: CInt, on loop: EventLoop, accept: @escaping (CInt) -> Void) throws(SystemError) {
        (self.loop, self.accept) = (loop, accept)
        // A connection may be gone before it is accepted.
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
