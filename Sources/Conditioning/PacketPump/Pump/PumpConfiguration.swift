// SPDX-License-Identifier: Apache-2.0

package import LinkRules

/// A device whose frames the pump reads, and to which it writes them back.
package struct PumpInput: Sendable {
    package var device: any FrameDevice
    /// The traffic that is redirected to the device.
    package var traffic: Traffic
    /// Whether that traffic has no link-layer header.
    package var isBare: Bool

    /// The host whose link the conditions describe.
    package var facing: Facing

    package init(_ device: any FrameDevice, _ traffic: Traffic, _ facing: Facing = .host, isBare: Bool = false) {
        self.device = device
        self.traffic = traffic
        self.facing = facing
        self.isBare = isBare
    }
}

/// Limits of a pump, and facts about its network namespace.
package struct PumpConfiguration: Sendable {
    /// The largest memory for frames in bytes, at least 2 MiB. It is allocated as needed in units of 1 MiB, and
    /// released. A packet beyond the limit is dropped for ``DropReason/memory``. A full-size packet takes 1664 bytes:
    /// 10 s at 1 Gbit/s take 1.4 GB.
    package var memory = 1 << 30
    /// The number of flows on loopback whose opener is remembered; at most 145 bytes each.
    package var flows = 65_536
    /// net.ipv4.ip_local_port_range of the network namespace; identifies the opener of older TCP connections.
    package var ephemeralPorts: ClosedRange<UInt16> = 32_768...60_999

    package init() {}

    /// The largest number of packets in one pipeline: as many as fit into `memory` in the smallest blocks.
    var maximumHeld: Int { max(memory / 256, 1024) }
}

/// The reason why a pump could not be started.
package enum PumpError: Error, Equatable, CustomStringConvertible {
    /// There are no inputs, or more than 32.
    case inputs
    /// The address space is exhausted.
    case memory
    /// epoll, timerfd, eventfd or memfd failed with this errno.
    case descriptors(Int32)
    /// The thread could not be started, with this errno.
    case thread(Int32)

    /// The missing resource.
    package var description: String {
        switch self {
        case .inputs: "a pump has 1 to \(PumpLoop.maximumInputs) inputs"
        case .memory: "no memory for the pump's frames"
        case .descriptors(let number): "no descriptor for the pump: errno \(number)"
        case .thread(let number): "no thread for the pump: errno \(number)"
        }
    }
}
