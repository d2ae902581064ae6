// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// The names and addresses in hosts(5).
struct HostsFile: Hashable {
    private var addresses: [String: [IPAddress]] = [:]

    /// Parses the text of a hosts file; invalid lines are ignored, as by the C library.
    init(_ text: String = "") {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
            guard let first = words.first, let address = IPAddress(String(first)) else { continue }
            for name in words.dropFirst() where addresses[name.lowercased()]?.contains(address) != true {
                addresses[name.lowercased(), default: []].append(address)
            }
        }
    }

    /// The addresses of a name, in the order of the file.
    func addresses(of name: String) -> [IPAddress] {
        addresses[(name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()] ?? []
    }
}
