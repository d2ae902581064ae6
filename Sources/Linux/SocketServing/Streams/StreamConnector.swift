// SPDX-License-Identifier: Apache-2.0

package import CLinuxCalls
import Glibc
package import LinuxSystem

/// Opens a TCP connection, on an event loop.
package final class StreamConnector: DescriptorOwner {
    private var watch: DescriptorWatch?
    private var limit: LoopTimer?
    private var done: ((Result<CInt, SystemError>) -> Void)?

    /// Connects to `address`, and calls `done` with the socket, closed on exec, or with the error: in a later turn,
    /// unless no socket could be made.
    package init(
        to address: lc_address,
        on loop: EventLoop,
        within limit: Duration,
        done: @escaping (Result<CInt, SystemError>) -> Void
    ) {
        self.done = done
        let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.length == 4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else {
            finish(errno)
            return
        }
        var address = address
        let result = lc_connect(descriptor, &address)
        do throws(SystemError) {
            guard result == 0 || result == -EINPROGRESS else { throw SystemError(operation: "", code: -result) }
            watch = try loop.watch(descriptor, for: .writable, owner: self)
            self.limit = loop.schedule(after: limit) { self.finish(ETIMEDOUT) }
        } catch {
            close(descriptor)
            finish(error.code)
        }
    }

    package func descriptorIsReady(_ readiness: Readiness) {
        if let watch { finish(lc_take_pending_error(watch.descriptor)) }
    }

    package func loopHasEnded() { finish(ECANCELED) }

    /// - Parameter error: the errno of the failure; 0 if the connection is open.
    private func finish(_ error: CInt) {
        guard let done else { return }
        self.done = nil
        limit?.cancel()
        watch?.end()
        if let watch, error == 0 { return done(.success(watch.descriptor)) }
        if let watch { close(watch.descriptor) }
        done(.failure(SystemError(operation: "connect", code: error)))
    }
}
