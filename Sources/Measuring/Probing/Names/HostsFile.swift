// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// Names and addresses as hosts(5) lists them.
struct HostsFile: Hashable {
    private var addresses: [String: [IPAddress]] = [:]

    /// Reads the text of such a file; lines that make no sense are passed over, as the C library does.
    init(_ text: String = "") {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let first = words.first, let address = IPAddress(String(first)) else { continue }
            for name in words.dropFirst() where addresses[name.lowercased()]?.contains(address) != true {
                addresses[name.lowercased(), default: []].append(address)
            }
        }
    }

    /// The addresses of a name, in the file's order.
    func addresses(of name: String) -> [IPAddress] {
        addresses[(name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()] ?? []
    }
}
