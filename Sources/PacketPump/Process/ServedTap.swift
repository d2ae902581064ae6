// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinkRules

/// Why a pump's process does not do what it was asked to.
struct PumpRefusal: Error {
    let reason: String
}

/// A pump's device and the listening socket with its name, for a pump's process.
///
/// Making them needs privileges that serving them does not, so another process may make them and send them. The kernel
/// reports the user that made the socket to clients (SO_PEERCRED of socket(7)). They accept root's sockets.
final class ServedTap: Sendable {
    let device: any FrameDevice
    /// The socket at which clients find the pump.
    let listener: CInt

    /// Makes both.
    init(_ tap: Tap, endsWithNetwork: Bool) throws(PumpRefusal) {
        do {
            device = try FrameDevices.make(tap, endsWithNetwork: endsWithNetwork)
        } catch {
            throw PumpRefusal(reason: "cannot carry packets in userspace: \(error)")
        }
        let listener = PumpAddress.listen(for: tap.name, device.index)
        guard listener >= 0 else { throw PumpRefusal(reason: "cannot open a unix socket for \(tap.name)") }
        self.listener = listener
    }

    static func make(_ taps: [Tap], endsWithNetwork: Bool) throws(PumpRefusal) -> [ServedTap] {
        try taps.map { tap throws(PumpRefusal) in try ServedTap(tap, endsWithNetwork: endsWithNetwork) }
    }

    deinit { close(listener) }

    /// Sends both; this process can then forget them.
    func send(to channel: PumpChannel) {
        channel.send(
            JSON(
                ("name", .text(device.name)),
                ("index", .number(device.index)),
                ("address", .text(Self.hexadecimal(device.address))),
                ("slotSize", .number(device.ring?.slotSize ?? 0)),
                ("slotCount", .number(device.ring?.slotCount ?? 0))
            )
        )
        channel.send(descriptor: device.descriptor)
        if device.ring != nil { channel.send(descriptor: device.output) }
        channel.send(descriptor: listener)
    }

    /// Waits for both; nil if the other end is gone.
    init?(receivedFrom channel: PumpChannel) {
        guard let json = channel.receive(),
            let name: String = json.required("name"),
            let index: Int32 = json.required("index"),
            let address = json.required("address").map({ TapDevice.bytes($0) }),
            address.count == 6,
            let slotSize: UInt32 = json.required("slotSize"),
            let slotCount: UInt32 = json.required("slotCount"),
            let descriptor = channel.receiveDescriptor()
        else { return nil }
        if slotCount == 0 {
            device = TapDevice(descriptor: descriptor, name: name, index: index, address: address)
        } else {
            guard let ring = FrameRing(descriptor: descriptor, slotSize: slotSize, slotCount: slotCount),
                let output = channel.receiveDescriptor()
            else { return nil }
            device = VethPair(ring: ring, output: output, name: name, index: index, address: address)
        }
        guard let listener = channel.receiveDescriptor() else { return nil }
        self.listener = listener
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
