// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A device whose traffic goes through a pump, and the TAP devices it is led to.
public struct PumpedDevice: Hashable, Sendable {
    /// The device's name.
    public var name: String
    /// The TAP devices.
    public var taps: [Tap]

    /// Makes it.
    public init(name: String, taps: [Tap]) {
        self.name = name
        self.taps = taps
    }
}

extension PumpedDevice: JSONReadable {
    var json: JSON { JSON(("name", .text(name)), ("taps", .list(taps.map(\.json)))) }

    init?(json: JSON) {
        guard let name: String = json.required("name"), let taps: [Tap] = json.required("taps") else { return nil }
        self.init(name: name, taps: taps)
    }
}

extension Tap.Traffic: JSONReadable {}

extension Tap: JSONReadable {
    var json: JSON {
        JSON(
            ("name", .text(name)),
            ("traffic", .text(traffic.rawValue)),
            ("mtu", .number(mtu)),
            ("address", .text(address))
        )
    }

    init?(json: JSON) {
        guard let name: String = json.required("name"),
            let traffic: Tap.Traffic = json.required("traffic"),
            let mtu: UInt32 = json.required("mtu"),
            let address: String? = json.optional("address")
        else { return nil }
        self.init(name: name, traffic: traffic, mtu: mtu, address: address)
    }
}
