// SPDX-License-Identifier: Apache-2.0

package import LinkRules

/// A device from which a pump reads frames, and to which it writes them back: each with a virtio-net header.
package protocol FrameDevice: AnyObject, Sendable {
    var name: String { get }
    var index: Int32 { get }
    /// The hardware address, six bytes.
    var address: [UInt8] { get }
    /// Readable when there are frames to read.
    var descriptor: Int32 { get }
    /// The descriptor to which frames are written.
    var output: Int32 { get }
    /// The ring from which frames are read; nil to read them from the descriptor.
    var ring: FrameRing? { get }
}

extension TapDevice: FrameDevice {
    package var output: Int32 { descriptor }
    package var ring: FrameRing? { nil }
}

/// The devices that this process can make for a pump.
package enum FrameDevices {
    /// The reason why this process cannot make a device for the loopback of a network that ends with the pump, such as
    /// a sandbox's; nil if it can. Must be called in that network.
    package static var loopbackProblem: TapError? {
        guard let problem = TapDevice.accessProblem else { return nil }
        return VethPair.accessProblem == nil ? nil : problem
    }

    /// The reason why this process cannot make the devices for `taps`; nil if it can.
    package static func problem(for taps: [Tap], endsWithNetwork: Bool) -> TapError? {
        endsWithNetwork && taps.allSatisfy { $0.traffic == .loopback } ? loopbackProblem : TapDevice.accessProblem
    }

    /// Makes the device for `tap`.
    ///
    /// - Parameter endsWithNetwork: whether the device ends with its network, and not with the pump.
    static func make(_ tap: Tap, endsWithNetwork: Bool) throws(TapError) -> any FrameDevice {
        if endsWithNetwork, tap.traffic == .loopback, TapDevice.accessProblem != nil {
            return try VethPair(name: tap.name, mtu: tap.mtu)
        }
        return try TapDevice(
            name: tap.name,
            mtu: min(Int(tap.mtu), TapDevice.largestMTU),
            address: tap.address.flatMap(TapDevice.bytes),
            endsWithNetwork: endsWithNetwork
        )
    }
}
