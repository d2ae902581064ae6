// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import SocketServing

/// An order of the supervisor to the processes of the gateway: a byte, and its data.
enum GatewayOrder {
    case flush
    case use(Destinations)
    /// Treat as lost the connections of clients with these addresses on a device that began before a time of
    /// CLOCK_MONOTONIC.
    case lose(device: UInt32, addresses: [UInt128], before: Int64)
    /// Set the idle timeout, in nanoseconds, of the address translator in a device's network; nil for none.
    case forget(device: UInt32, after: Int64?)

    static let maximumBytes = 4_096
    private static let (flushing, using, losing, forgetting): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 3, 4)

    init?(_ bytes: ArraySlice<UInt8>) {
        switch bytes.first {
        case Self.flushing: self = .flush
        case Self.using:
            guard let destinations = Destinations(bytes: bytes.dropFirst()) else { return nil }
            self = .use(destinations)
        case Self.losing, Self.forgetting:
            let (fixed, each) = (13, MemoryLayout<UInt128>.size)
            guard bytes.count >= fixed, (bytes.count - fixed).isMultiple(of: each) else { return nil }
            self = bytes.withUnsafeBytes { content in
                let device = content.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
                let time = content.loadUnaligned(fromByteOffset: 5, as: Int64.self)
                guard content[0] == Self.losing else { return .forget(device: device, after: time < 0 ? nil : time) }
                let addresses = stride(from: fixed, to: content.count, by: each).map {
                    content.loadUnaligned(fromByteOffset: $0, as: UInt128.self)
                }
                return .lose(device: device, addresses: addresses, before: time)
            }
        default: return nil
        }
    }

    func send(to control: SequencedChannel) -> Bool {
        let bytes: [UInt8]
        switch self {
        case .flush: bytes = [Self.flushing]
        case .use(let destinations): bytes = [Self.using] + destinations.bytes
        case .lose(let device, let addresses, let time):
            bytes = [Self.losing] + Self.bytes(device) + Self.bytes(time) + addresses.flatMap { Self.bytes($0) }
        case .forget(let device, let time): bytes = [Self.forgetting] + Self.bytes(device) + Self.bytes(time ?? -1)
        }
        return control.send(bytes) == 0
    }

    private static func bytes(_ value: some BitwiseCopyable) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    /// Waits for the next order; nil if the supervisor has ended, or the order is malformed.
    static func next(from control: SequencedChannel) -> GatewayOrder? {
        var bytes = [UInt8](repeating: 0, count: maximumBytes)
        let count = bytes.withUnsafeMutableBytes { control.receive(into: $0).count }
        return count > 0 ? GatewayOrder(bytes[..<count]) : nil
    }
}

/// The gateway's messages to the supervisor, of one byte each: a flush is done; the limit of connections is reached.
enum GatewayMessage {
    static let (flushed, limit): (UInt8, UInt8) = (1, 2)
}

/// Executes the supervisor's orders to the gateway: to report when no data of the sandbox is left in the gateway, to
/// use other name servers, to treat connections as lost, and to end.
final class GatewayOrders: DescriptorOwner {
    var watch: DescriptorWatch?
    private let control: SequencedChannel
    private let packets: PacketLoop
    private let relays: Relays

    /// The time between two checks whether a flush is done.
    private static let interval = Duration.milliseconds(1)

    init(_ control: SequencedChannel, packets: PacketLoop, _ relays: Relays) {
        (self.control, self.packets, self.relays) = (control, packets, relays)
    }

    func descriptorIsReady(_ readiness: Readiness) {
        switch GatewayOrder.next(from: control) {
        case .flush: flush()
        case .use(let destinations): packets.destinations = destinations
        case .lose(let device, let addresses, let time):
            let lost = Set(addresses)
            packets.lose(packets.connections.lose({ $0.scope == device && lost.contains($0.address) }, begun: time))
        case .forget(let device, let time): packets.forget(device, after: time)
        // The supervisor has ended.
        case nil: _exit(0)
        }
    }

    func loopHasEnded() {}

    /// Reports to the supervisor once every packet was read, every datagram sent, and every upload is with the host's
    /// kernel.
    private func flush() {
        packets.readAll()
        let orders = LoopBound(self, on: packets.loop)
        LoopBound(relays, on: relays.loop).execute { relays in
            let isIdle = relays.hasUploadedAll
            orders.execute { $0.answer(isIdle) }
        }
    }

    private func answer(_ isIdle: Bool) {
        guard isIdle, !packets.isWaitingForSockets else {
            packets.loop.schedule(after: Self.interval) { [unowned self] in flush() }
            return
        }
        say(GatewayMessage.flushed)
    }

    func say(_ message: UInt8) { control.send([message]) }
}
