// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// The number that linkcond gives a network namespace before Linux 5.14, which has no namespace cookies: a word at the
/// end of loopback's alias. Every namespace has a loopback device, which cannot be deleted.
enum NetworkMark {
    private static let prefix = "linkcond-network="

    /// The number in an alias; nil if there is none.
    static func number(in alias: String?) -> UInt64? {
        guard let word = alias?.split(separator: " ").last, word.hasPrefix(prefix) else { return nil }
        return UInt64(word.dropFirst(prefix.count), radix: 16)
    }

    /// The alias with its number replaced by `number`, or removed for nil.
    static func alias(_ alias: String?, with number: UInt64?) -> String {
        var rest = (alias ?? "")[...]
        if self.number(in: alias) != nil, let word = rest.split(separator: " ").last {
            rest = rest[..<word.startIndex]
            if rest.last == " " { rest.removeLast() }
        }
        guard let number else { return String(rest) }
        return (rest.isEmpty ? "" : rest + " ") + prefix + String(number, radix: 16)
    }

    /// The number of the calling thread's namespace; nil if it has none.
    static func read() throws -> NetworkIdentity.Number? {
        try number(in: RouteConnection.current().link(named: "lo").alias).map { .mark($0) }
    }

    /// Gives the calling thread's namespace a number if it has none; nil if that fails.
    static func make() -> NetworkIdentity.Number? {
        guard let connection = try? RouteConnection.current(), let loopback = try? connection.link(named: "lo") else {
            return nil
        }
        if let number = number(in: loopback.alias) { return .mark(number) }
        let number = UInt64.random(in: .min ... .max)
        let alias = alias(loopback.alias, with: number)
        guard alias.utf8.count <= LinkRequest.maximumAliasLength,
            (try? connection.perform(LinkRequest.setAlias(alias, of: "lo"))) != nil
        else { return nil }
        return .mark(number)
    }

    /// Removes the number from the calling thread's namespace.
    static func remove() {
        guard let connection = try? RouteConnection.current(), let loopback = try? connection.link(named: "lo"),
            number(in: loopback.alias) != nil
        else { return }
        try? connection.perform(LinkRequest.setAlias(alias(loopback.alias, with: nil), of: "lo"))
    }
}
