// SPDX-License-Identifier: Apache-2.0

/// Limits of a pump, and facts about its network namespace.
public struct PumpConfiguration: Sendable {
    /// The largest memory for frames in bytes, at least 2 MiB. It is allocated as needed in units of 1 MiB, and released.
    /// A packet beyond the limit is dropped for ``DropReason/memory``. A full-size packet takes 1664 bytes: 10 s at
    /// 1 Gbit/s take 1.4 GB.
    public var memory = 1 << 30
    /// The number of flows on loopback whose opener is remembered; 56 bytes each.
    public var flows = 65_536
    /// net.ipv4.ip_local_port_range of the network namespace; identifies the opener of older TCP connections.
    public var ephemeralPorts: ClosedRange<UInt16> = 32_768...60_999

    /// Makes the usual configuration.
    public init() {}

    /// The largest number of packets in one pipeline: as many as the smallest memory blocks allow.
    var maximumHeld: Int { max(memory / 256, 1024) }
}

/// Why a pump could not be started.
public enum PumpError: Error, Equatable, CustomStringConvertible {
    /// There are no inputs, or more than 32.
    case inputs
    /// The address space is exhausted.
    case memory
    /// epoll, timerfd, eventfd or memfd failed with this errno.
    case descriptors(Int32)
    /// The thread could not be started, with this errno.
    case thread(Int32)

    /// The missing resource.
    public var description: String {
        switch self {
        case .inputs: "a pump has 1 to \(PumpLoop.mostInputs) inputs"
        case .memory: "no memory for the pump's frames"
        case .descriptors(let number): "no descriptor for the pump: errno \(number)"
        case .thread(let number): "no thread for the pump: errno \(number)"
        }
    }
}
