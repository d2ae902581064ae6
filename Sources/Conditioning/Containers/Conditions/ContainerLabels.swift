// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import LinkRules

/// The conditions that a container's labels ask for.
package struct ContainerLabels: Hashable, Sendable {
    /// The name of a profile, which may not exist.
    package var profile: String
    /// The interface; nil for the container's main one.
    package var interface: String?
    /// The host whose link the profile describes.
    package var facing = Facing.host

    private static let prefix = "linkcond."
    private static let names = ["profile", "interface", "facing"].map { prefix + $0 }
    /// IFNAMSIZ without the final zero.
    private static let longestInterface = 15

    /// Parses linkcond's labels and ignores others; nil if linkcond has no label among them.
    ///
    /// - Throws: `usage` for an unknown label, a missing profile, or an invalid value.
    package init?(_ labels: [String: String]) throws(ContainerError) {
        let own = labels.filter { $0.key.hasPrefix(Self.prefix) }
        guard !own.isEmpty else { return nil }
        if let unknown = own.keys.filter({ !Self.names.contains($0) }).min() {
            throw ContainerError(
                .usage,
                "there is no label \(unknown)",
                remedy: Spelling.nearest(to: unknown, among: Self.names) ?? Self.names.joined(separator: ", ")
            )
        }
        guard let profile = own[Self.names[0]] else {
            let other = own.keys.min() ?? Self.names[1]
            throw ContainerError(.usage, "\(other) needs \(Self.names[0]), too")
        }
        interface = own[Self.names[1]]
        if let interface {
            let isName = !interface.contains { $0 == "/" || $0 == ":" || $0.isWhitespace }
            guard isName, 1...Self.longestInterface ~= interface.utf8.count else {
                throw ContainerError(.usage, "\(Self.names[1]) is \"\(interface)\", and not the name of an interface")
            }
        }
        if let word = own[Self.names[2]] {
            guard let facing = Facing(rawValue: word) else {
                let words = Facing.allCases.map(\.rawValue)
                throw ContainerError(
                    .usage,
                    "\(Self.names[2]) is \"\(word)\", and neither \(words.joined(separator: " nor "))",
                    remedy: "\(Self.names[2])=\(Spelling.nearest(to: word, among: words) ?? Facing.peer.rawValue)"
                )
            }
            self.facing = facing
        }
        self.profile = profile
    }
}
