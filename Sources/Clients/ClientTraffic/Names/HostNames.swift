// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// The names that a client resolves without asking a server: those of /etc/hosts (hosts(5)), and localhost.
package struct HostNames: Hashable, Sendable {
    /// The file's path.
    package static let path = "/etc/hosts"

    private var addresses: [String: Set<IPAddress>] = [:]

    /// Parses the text of /etc/hosts.
    package init(_ text: [UInt8] = []) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let fields = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            guard let address = fields.first.flatMap({ IPAddress(String($0)) }) else { continue }
            for name in fields.dropFirst() { addresses[name.lowercased(), default: []].insert(address.unmapped) }
        }
    }

    /// The addresses of a name. localhost and names that end with .localhost are always loopback (RFC 6761, section
    /// 6.3).
    package func addresses(of name: String) -> Set<IPAddress> {
        let known = addresses[name] ?? []
        guard name == "localhost" || name.hasSuffix(".localhost") else { return known }
        return known.union([IPAddress(bytes: [127, 0, 0, 1]), IPAddress("::1")].compactMap { $0 })
    }

    /// The names of an address, in order.
    package func names(of address: IPAddress) -> [String] {
        addresses.filter { $0.value.contains(address.unmapped) }.keys.sorted()
    }

    /// All names of each address, and localhost.
    package var byAddress: [IPAddress: Set<String>] {
        var names: [IPAddress: Set<String>] = [:]
        for name in addresses.keys { for address in addresses[name] ?? [] { names[address, default: []].insert(name) } }
        for address in self.addresses(of: "localhost") { names[address, default: []].insert("localhost") }
        return names
    }
}
