// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

/// The lines of resolv.conf(5). Lines that name a server can be changed; all others are kept.
struct NameServerLines {
    private let lines: [String]

    init(_ lines: [String]) { self.lines = lines }

    /// The servers in their order; the local machine if no line names one.
    var servers: [IPAddress] {
        let named = lines.compactMap(Self.server)
        return named.isEmpty ? [IPAddress("127.0.0.1")].compactMap(\.self) : named
    }

    /// The lines with `address(server)` in place of each server; a server for which that is nil is left out.
    func replacing(_ address: (IPAddress) -> IPAddress?) -> [String] {
        let others = lines.flatMap { line -> [String] in
            guard let server = Self.server(line) else { return [line] }
            return address(server).map { ["nameserver \($0)"] } ?? []
        }
        guard !lines.contains(where: { Self.server($0) != nil }) else { return others }
        return servers.compactMap(address).map { "nameserver \($0)" } + others
    }

    /// The server that a line names; nil for none. The keyword begins the line, as in resolv.conf(5).
    private static func server(_ line: String) -> IPAddress? {
        guard line.hasPrefix("nameserver") else { return nil }
        let words = line.split { $0 == " " || $0 == "\t" }
        return words.count > 1 && words[0] == "nameserver" ? IPAddress(String(words[1])) : nil
    }
}
