// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
package import LinkRules

/// A device whose traffic goes through a pump, and the TAP devices that it is redirected to.
package struct PumpedDevice: Hashable, Sendable {
    /// The device's name.
    package var name: String
    /// The TAP devices.
    package var taps: [Tap]

    /// Makes a device with its TAP devices.
    package init(name: String, taps: [Tap]) {
        self.name = name
        self.taps = taps
    }
}

extension PumpedDevice: JSONReadable {
    package var json: JSON { JSON(("name", .text(name)), ("taps", .list(taps.map(\.json)))) }

    package init?(json: JSON) {
        guard let name: String = json.required("name"), let taps: [Tap] = json.required("taps") else { return nil }
        self.init(name: name, taps: taps)
    }
}

extension Traffic: JSONReadable {}

extension Tap: JSONReadable {
    package var json: JSON {
        JSON(
            ("name", .text(name)),
            ("traffic", .text(traffic.rawValue)),
            ("mtu", .number(mtu)),
            ("address", .text(address))
        )
    }

    package init?(json: JSON) {
        guard let name: String = json.required("name"),
            let traffic: Traffic = json.required("traffic"),
            let mtu: UInt32 = json.required("mtu"),
            let address: String? = json.optional("address")
        else { return nil }
        self.init(name: name, traffic: traffic, mtu: mtu, address: address)
    }
}
