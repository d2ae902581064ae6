// SPDX-License-Identifier: Apache-2.0

/// A port of the host's loopback, as "5432" or "53/udp".
package struct HostPort: Hashable, Sendable {
    enum Transport: String {
        case tcp, udp
    }

    var port: UInt16
    var transport: Transport
}

extension HostPort: LosslessStringConvertible {
    /// Reads a number from 1 to 65535, alone or with "/tcp" or "/udp"; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // UInt16 would read a sign as well.
        guard parts[0].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(parts[0]), port > 0,
            let transport = parts.count == 1 ? .tcp : Transport(rawValue: String(parts[1]))
        else { return nil }
        self.init(port: port, transport: transport)
    }

    /// The number, followed by "/" and the transport unless that is TCP.
    package var description: String { transport == .tcp ? "\(port)" : "\(port)/\(transport.rawValue)" }
}
