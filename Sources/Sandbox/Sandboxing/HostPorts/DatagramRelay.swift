// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SocketServing

/// Relays the datagrams of a listener's clients: each client has a `DatagramFlow`, which sends the answers back.
final class DatagramRelay: DescriptorOwner {
    /// The limits for idle clients, since UDP does not show whether a client still exists.
    struct Limits: Sendable {
        var clients = 1024
        var idleTime = Duration.seconds(60)
    }

    private let target: lc_address
    private let limits: Limits
    private let loop: EventLoop
    private var flows: [Client: DatagramFlow] = [:]
    private var watch: DescriptorWatch?

    /// Relays from `listener`, and takes ownership of it. The loop retains the relay.
    init(_ listener: CInt, target: lc_address, limits: Limits, on loop: EventLoop) throws(SystemError) {
        (self.target, self.limits, self.loop) = (target, limits, loop)
        do {
            watch = try loop.watch(listener, for: .readable, owner: self)
        } catch {
            close(listener)
            throw error
        }
    }

    func loopHasEnded() {
        guard let watch else { return }
        self.watch = nil
        watch.end()
        for flow in flows.values { flow.close() }
        close(watch.descriptor)
    }

    func descriptorIsReady(_ readiness: Readiness) {
        guard let watch else { return }
        for _ in 0..<DatagramFlow.maximumAtOnce {
            var datagram = lc_datagram()
            // The buffer fits the largest datagram, so that none is truncated.
            let bytes = loop.buffer.bindMemory(to: UInt8.self).baseAddress
            switch -lc_receive_whole(watch.descriptor, &datagram, bytes, UInt32(loop.buffer.count)) {
            case 0:
                let content = UnsafeRawBufferPointer(rebasing: loop.buffer[..<Int(datagram.length)])
                flow(for: datagram.address, listener: watch.descriptor)?.send(content)
            case EAGAIN: return
            // One client's error must not end the listener, which serves every client.
            default: continue
            }
        }
    }

    /// Finds the client's flow, or opens one; nil if that fails. At the limit, closes the least recently used flow.
    private func flow(for address: lc_address, listener: CInt) -> DatagramFlow? {
        let client = Client(address)
        if let flow = flows[client] { return flow }
        if flows.count >= limits.clients { flows.values.min { $0.lastUse < $1.lastUse }?.close() }
        let flow = try? DatagramFlow(
            client: address,
            listener: listener,
            target: target,
            idleTime: limits.idleTime,
            on: loop
        ) { [weak self] in
            // The client may have a new flow by now.
            if let self, flows[client] === $0 { flows[client] = nil }
        }
        flows[client] = flow
        return flow
    }

    /// An address and a port, as a key.
    private struct Client: Hashable {
        private let high: UInt64
        private let low: UInt64
        private let port: UInt16

        init(_ address: lc_address) {
            (high, low) = withUnsafeBytes(of: address.bytes) {
                ($0.load(as: UInt64.self), $0.load(fromByteOffset: 8, as: UInt64.self))
            }
            port = address.port
        }
    }
}
