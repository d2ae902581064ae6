// SPDX-License-Identifier: Apache-2.0

/// Bounds of a pump, and facts of the network around it.
public struct PumpConfiguration: Sendable {
    /// Bytes of frames that may be in the pump at once, at least 2 MiB. Memory is taken as it is needed, a MiB at a
    /// time, and given back; a packet for which there is none left is dropped for ``PumpDrop/memory``. A full-size
    /// packet takes 1664 bytes: 10 s at 1 Gbit/s are 1.4 GB.
    public var memory = 1 << 30
    /// Flows on loopback whose opener is known; 56 bytes each.
    public var flows = 65_536
    /// net.ipv4.ip_local_port_range of the network, from which TCP connections older than the pump are told.
    public var ephemeralPorts: ClosedRange<UInt16> = 32_768...60_999

    /// Makes the usual configuration.
    public init() {}

    /// Packets that one pipeline may hold: as many as the smallest blocks there is memory for.
    var maximumHeld: Int { max(memory / 256, 1024) }
}

/// Why there is no pump.
public enum PumpError: Error, Equatable, CustomStringConvertible {
    /// There are no inputs, or more than 32.
    case inputs
    /// Not even the address space is there.
    case memory
    /// epoll, timerfd, eventfd or memfd is refused; with the errno.
    case descriptors(Int32)
    /// The kernel gives no thread; with the errno.
    case thread(Int32)

    /// What is missing.
    public var description: String {
        switch self {
        case .inputs: "a pump has 1 to \(PumpLoop.mostInputs) inputs"
        case .memory: "no memory for the pump's frames"
        case .descriptors(let number): "no descriptor for the pump: errno \(number)"
        case .thread(let number): "no thread for the pump: errno \(number)"
        }
    }
}
