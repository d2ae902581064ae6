// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Relays the datagrams between one client of a listener and the host, over its own socket.
final class DatagramFlow: DescriptorOwner {
    /// The number of datagrams that one turn of the loop forwards: the other flows have their turn, too.
    static let maximumAtOnce = 32

    /// The time of the latest datagram, by CLOCK_MONOTONIC.
    private(set) var lastUse = Duration.reading(CLOCK_MONOTONIC)

    private let client: lc_address
    private let listener: CInt
    private let loop: EventLoop
    private let idleTime: Duration
    private let whenClosed: (DatagramFlow) -> Void
    private var watch: DescriptorWatch?

    /// Opens the socket, which is closed after `idleTime` without datagrams.
    init(
        client: lc_address,
        listener: CInt,
        target: lc_address,
        idleTime: Duration,
        on loop: EventLoop,
        whenClosed: @escaping (DatagramFlow) -> Void
    ) throws(SystemError) {
        (self.client, self.listener, self.loop) = (client, listener, loop)
        (self.idleTime, self.whenClosed) = (idleTime, whenClosed)
        let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let family = target.length == 4 ? AF_INET : AF_INET6
        let host = try LinuxSystem.checked(socket(family, type, 0), "make a socket")
        do throws(SystemError) {
            var target = target
            try LinuxSystem.checked(lc_connect(host, &target), "connect")
            watch = try loop.watch(host, for: .readable, owner: self)
        } catch {
            Glibc.close(host)
            throw error
        }
        closeWhenIdle(after: idleTime)
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        guard let watch else { return }
        lastUse = .reading(CLOCK_MONOTONIC)
        // A datagram that does not fit the buffer is dropped, as in the kernel. A refused one does not close the flow: the
        // service may start again.
        lc_send_segments(watch.descriptor, nil, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count), 0)
    }

    func close() {
        guard let watch else { return }
        self.watch = nil
        watch.end()
        Glibc.close(watch.descriptor)
        whenClosed(self)
    }

    func loopHasEnded() { close() }

    func descriptorIsReady(_ readiness: Readiness) {
        guard let watch else { return }
        for _ in 0..<Self.maximumAtOnce {
            let count = recv(watch.descriptor, loop.buffer.baseAddress, loop.buffer.count, CInt(MSG_DONTWAIT))
            if count < 0 {
                // The error is about an earlier datagram, which was refused.
                guard errno != EAGAIN, errno != EINTR else { return }
                continue
            }
            lastUse = .reading(CLOCK_MONOTONIC)
            var client = client
            let bytes = loop.buffer.bindMemory(to: UInt8.self).baseAddress
            lc_send_segments(listener, &client, bytes, UInt32(count), 0)
        }
    }

    private func closeWhenIdle(after time: Duration) {
        loop.schedule(after: time) { [weak self] in
            guard let self, watch != nil else { return }
            let rest = lastUse + idleTime - Duration.reading(CLOCK_MONOTONIC)
            if rest > .zero { closeWhenIdle(after: rest) } else { close() }
        }
    }
}
