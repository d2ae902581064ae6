// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc
import InternetAddresses
import LinuxSystem

/// Prints packets, a line each.
final class CapturePrinting {
    private var line: PacketLine
    /// How many more packets of a file to print.
    private var left = UInt64.max

    init(_ style: PacketLineOptions) { line = PacketLine(style) }

    /// Prints a packet.
    func show(_ packet: CapturedPacket, _ interface: CapturedInterface) {
        Console.data(line.lines(packet, interface))
    }

    /// Prints the packets of a file, or of standard input for "-".
    ///
    /// - Parameter count: the number of packets after which it ends; nil for all.
    static func printFile(_ path: String, _ style: PacketLineOptions, count: UInt64? = nil) throws {
        let printing = CapturePrinting(style)
        printing.left = count ?? .max
        var interfaces: [CapturedInterface] = []
        try CaptureFile.read(path) { record in
            printing.take(record, &interfaces)
            return printing.left > 0
        }
    }

    private func take(_ record: CaptureRecord, _ interfaces: inout [CapturedInterface]) {
        switch record {
        case .section: interfaces = []
        case .interface(let interface): interfaces.append(interface)
        case .names(let address, let names):
            if let address = IPAddress(bytes: address), let name = names.first { line.note(name, of: address) }
        case .packet(let packet) where interfaces.indices.contains(packet.interface):
            show(packet, interfaces[packet.interface])
            left -= 1
        default: break
        }
    }
}
