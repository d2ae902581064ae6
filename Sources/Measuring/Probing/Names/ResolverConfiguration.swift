// SPDX-License-Identifier: Apache-2.0

import InternetAddresses

/// How names are looked up, as resolv.conf(5) says it.
struct ResolverConfiguration: Hashable {
    /// The servers, in the order in which they are asked: at most three (MAXNS).
    var servers: [IPAddress] = []
    /// The domains that are appended to names with few dots.
    var search: [String] = []
    /// The number of dots from which a name is tried first as it is.
    var dots = 1
    /// The time to wait for a server.
    var timeout = Duration.seconds(5)
    /// The number of rounds through the servers.
    var attempts = 2

    /// Reads the text of such a file, within the limits of the C library. `rotate`, `sortlist` and the like are
    /// passed over.
    init(_ text: String = "") {
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" && $0 != ";" }.split { $0 == " " || $0 == "\t" }.map(String.init)
            switch words.first {
            case "nameserver":
                guard words.count > 1, let address = IPAddress(words[1]), servers.count < 3 else { continue }
                servers.append(address)
            // The last of both kinds counts.
            case "domain": search = Array(words.dropFirst().prefix(1))
            case "search": search = Array(words.dropFirst())
            case "options": for option in words.dropFirst() { read(option) }
            default: continue
            }
        }
        // "If no nameserver entries are present, the default is to use the name server on the local machine."
        if servers.isEmpty, let here = IPAddress("127.0.0.1") { servers = [here] }
    }

    /// The names to ask for in turn, when `name` is looked for.
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
