// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// The settings for looking up names in resolv.conf(5).
struct ResolverConfiguration: Hashable {
    /// The DNS servers, in the order in which they are queried: at most three (MAXNS).
    var servers: [IPAddress] = []
    /// The search list: domains to append to a name.
    var search: [String] = []
    /// A name with at least this many dots is tried first without a domain (`ndots`).
    var dots = 1
    /// How long to wait for a server's response.
    var timeout = Duration.seconds(5)
    /// How many times to try the list of servers.
    var attempts = 2

    /// Parses the text of the file, within the limits of the C library. Ignores `rotate`, `sortlist` and other options.
    init(_ text: String = "") {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" && $0 != ";" }.split { $0 == " " || $0 == "\t" }.map(String.init)
            switch words.first {
            case "nameserver":
                guard words.count > 1, let address = IPAddress(words[1]), servers.count < 3 else { continue }
                servers.append(address)
            // The last "domain" or "search" line counts.
            case "domain": search = Array(words.dropFirst().prefix(1))
            case "search": search = Array(words.dropFirst())
            case "options": for option in words.dropFirst() { read(option) }
            default: continue
            }
        }
        // resolv.conf(5): "If no nameserver entries are present, the default is to use the name server on the local
        // machine."
        if servers.isEmpty, let here = IPAddress("127.0.0.1") { servers = [here] }
    }

    /// The full names to query in turn for `name`.
    func candidates(for name: String) -> [String] {
        if name.hasSuffix(".") { return [String(name.dropLast())] }
        let others = search.map { $0.hasSuffix(".") ? $0.dropLast() : $0[...] }.filter { !$0.isEmpty }
            .map { "\(name).\($0)" }
        let count = name.utf8.count { $0 == UInt8(ascii: ".") }
        return count >= dots ? [name] + others : others + [name]
    }

    private mutating func read(_ option: String) {
        let parts = option.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let value = Int(parts[1]), value >= 0 else { return }
        switch parts[0] {
        case "ndots": dots = min(value, 15)
        case "timeout": timeout = .seconds(min(max(value, 1), 30))
        case "attempts": attempts = min(max(value, 1), 5)
        default: return
        }
    }
}
