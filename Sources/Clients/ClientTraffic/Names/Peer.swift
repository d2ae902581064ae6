// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses
package import LinkProfiles

/// A server of a client: a host by name or address, and a port.
public struct Peer: Hashable, Sendable {
    /// The name or the address, in lower case.
    public var host: String
    /// The port; nil for any.
    public var port: UInt16?

    /// The peer at `host`.
    public init(_ host: String, port: UInt16? = nil) {
        let name = host.lowercased()
        (self.host, self.port) = (name.hasSuffix(".") ? String(name.dropLast()) : name, port)
    }

    /// Parses "HOST:PORT", "HOST", "[ADDRESS]:PORT" or an IPv6 address; nil for anything else.
    public init?(parsing text: String) {
        if IPAddress(text) != nil {
            self.init(text)
            return
        }
        var host = text[...]
        var port: UInt16?
        if let colon = text.lastIndex(of: ":"), !text.hasSuffix("]") {
            guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { return nil }
            (host, port) = (text[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard IPAddress(String(host))?.family == .ipv6 else { return nil }
        } else {
            // A name may end with the dot of the DNS root.
            let whole = host.hasSuffix(".") ? host.dropLast() : host
            let labels = whole.split(separator: ".", omittingEmptySubsequences: false)
            let isName = labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isNumber || "-_".contains($0) }
            }
            guard isName else { return nil }
        }
        self.init(String(host), port: port)
    }

    /// Whether `connection` goes to this peer, by address, by a name in its packets, or by a name in /etc/hosts.
    package func matches(_ connection: Connection, _ hosts: HostNames) -> Bool {
        guard port == nil || port == connection.server.port else { return false }
        let address = connection.server.address.unmapped
        if let own = IPAddress(host) { return own.unmapped == address }
        return connection.names.contains(host) || hosts.addresses(of: host).contains(address)
    }
}

extension Peer: CustomStringConvertible {
    /// "HOST:PORT".
    public var description: String {
        guard let port else { return host }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension Peer: JSONConvertible {
    package var json: JSON { description.json }

    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(parsing: text)
    }
}
