// SPDX-License-Identifier: Apache-2.0

internal import Gateway
import Glibc
internal import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

extension RunningSandbox {
    /// The longest time for sent data to arrive, and the longest time without any progress.
    private static let (deliveryTimeout, stillness) = (Duration.seconds(10), Duration.seconds(3))

    package func drain(_ isInterrupted: () -> Bool) -> String? {
        guard sandbox.drains, uplink != nil || hostServices != nil, !losesEverything else { return nil }
        let begin = BootClock.now
        let conditioner = (try? RouteConnection.current()).map { EphemeralConditioner($0, pump: pump) }
        var (last, since) = (OutgoingData(nil), begin)
        while true {
            let now = BootClock.now
            let data = OutgoingData(try? conditioner?.status())
            if data.isEmpty { break }
            if data != last { (last, since) = (data, now) }
            guard now - begin < Self.deliveryTimeout, now - since < Self.stillness, !isInterrupted() else {
                let bytes = data.bytes > 0 ? "\(data.bytes) bytes of TCP" : "\(data.held) packets"
                return "what the command had sent did not all arrive: \(bytes) were given up"
            }
            usleep(2000)
        }
        guard let gateway = uplink?.gateway, gateway.requestFlush() else { return nil }
        while !gateway.hasFlushed {
            guard BootClock.now - begin < Self.deliveryTimeout, !isInterrupted() else {
                return "what the command had sent did not all arrive: its servers did not take it"
            }
            usleep(500)
        }
        return nil
    }
}
