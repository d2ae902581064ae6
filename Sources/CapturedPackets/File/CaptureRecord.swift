// SPDX-License-Identifier: Apache-2.0

/// One entry of a capture file.
public enum CaptureRecord: Hashable, Sendable {
    /// The start of a section: interfaces are counted anew. Holds the program that wrote it, if it says so.
    case section(application: String?)
    /// An interface, for the packets that name its place.
    case interface(CapturedInterface)
    /// A packet.
    case packet(CapturedPacket)
    /// Names of an address of four or sixteen bytes.
    case names(address: [UInt8], [String])
    /// Lines of a TLS key log.
    case tlsKeys([UInt8])
    /// What became of an interface's packets.
    case statistics(CaptureStatistics, interface: Int)
}
