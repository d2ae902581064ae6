// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import SocketServing

/// What the gateway says to the supervisor of the sandbox, a byte each.
enum GatewayMessage {
    static let (flushed, limit): (UInt8, UInt8) = (1, 2)
}

/// What the supervisor of the sandbox asks of the gateway: to say when nothing of the sandbox's is left in it, and to end.
final class GatewayOrders: DescriptorOwner {
    var watch: DescriptorWatch?
    private let control: CInt
    private let packets: PacketLoop
    private let relays: Relays

    /// How long until it is looked again.
    private static let interval = Duration.milliseconds(1)

    init(_ control: CInt, packets: PacketLoop, _ relays: Relays) {
        (self.control, self.packets, self.relays) = (control, packets, relays)
    }

    func descriptorIsReady(_ readiness: Readiness) {
        var (byte, none): (UInt8, CInt) = (0, -1)
        // The end of the supervisor.
        guard lc_receive_message(control, &byte, 1, &none) == 1 else { _exit(0) }
        flush()
    }

    func loopHasEnded() {}

    /// Answers when every packet was read, every datagram was sent and every upload is with the host's kernel.
    private func flush() {
        packets.readAll()
        nonisolated(unsafe) let orders = self
        nonisolated(unsafe) let relays = relays
        let loop = packets.loop
        relays.loop.execute {
            let isIdle = relays.hasUploadedAll
            loop.execute { orders.answer(isIdle) }
        }
    }

    private func answer(_ isIdle: Bool) {
        guard isIdle, !packets.isWaitingForSockets else {
            packets.loop.schedule(after: Self.interval) { [unowned self] in flush() }
            return
        }
        say(GatewayMessage.flushed)
    }

    func say(_ message: UInt8) {
        var message = message
        _ = lc_send_message(control, &message, 1, -1)
    }
}
