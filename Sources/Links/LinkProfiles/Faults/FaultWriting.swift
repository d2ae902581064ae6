// SPDX-License-Identifier: Apache-2.0

internal import InternetAddresses

extension Fault {
    /// The fault as JSON; reading it gives the same fault.
    public var json: JSON { JSON(("match", match.json), ("do", action.json)) }
}

extension FaultMatch {
    fileprivate var json: JSON {
        let own = JSON(
            ("exclude", exclusions.isEmpty ? nil : JSON(members: exclusions.members)),
            ("version", version.map { .init(.number($0 == .ipv4 ? "4" : "6")) }),
            ("packet", .text(packet?.text)),
            ("connection", .text(connection?.text)),
            ("after", after?.json),
            ("dns", .text(name?.text)),
            ("type", .text(recordType?.name)),
            ("larger", .text(larger.map { ByteCount(bytes: UInt64($0)).exactText })),
            ("probability", .text(probability)),
            ("lane", .text(direction?.rawValue))
        )
        return JSON(members: ends.members + own.members.map { ($0.name, $0.value) })
    }
}

extension FaultMatch.Ends {
    fileprivate var members: [(String, JSON?)] {
        [
            ("to", Self.list(remotes.map { JSON(.string($0.text)) })),
            ("port", Self.list(ports.map { JSON(.number("\($0)")) })),
            ("protocol", Self.list(protocols.map { JSON(.string($0.rawValue)) })),
        ]
    }

    /// An array of several values, or a single value without an array; nil for none.
    private static func list(_ values: [JSON]) -> JSON? {
        values.count > 1 ? .list(values) : values.first
    }
}

extension FaultMatch.Remote {
    /// The remote end as profiles write it.
    package var text: String {
        switch self {
        case .prefix(let prefix): prefix.description
        case .name(let name): name
        }
    }
}

extension FaultMatch.PacketKind {
    var text: String {
        switch self {
        case .syn: "syn"
        case .quicInitial: "quic initial"
        case .tlsHello(let name): "tls hello \(name.text)"
        case .ordinal(let ordinal): ordinal.text
        case .every(let count): "every \(count)"
        }
    }
}

extension FaultMatch.Ordinal {
    var text: String {
        switch self {
        case .nth(let number): "nth \(number)"
        case .first(let count): "first \(count)"
        case .afterTheFirst: "after the first"
        }
    }
}

extension FaultMatch.Progress {
    fileprivate var json: JSON {
        switch self {
        case .bytes(let count): JSON(.string("\(count)"))
        case .time(let time): JSON(.string(time.text))
        case .idle(let time): JSON(("idle", JSON(.string(time.text))))
        }
    }
}

extension FaultAction {
    fileprivate var json: JSON {
        func object(_ key: String, _ value: JSON) -> JSON { JSON((key, value)) }
        func text(_ text: String) -> JSON { JSON(.string(text)) }
        return switch self {
        case .lose: text("lose")
        case .loseFromHere: text(Self.loseFromHereText)
        case .reset: text("reset")
        case .close: text("close")
        case .halfClose: text("half close")
        case .stall: text("stall")
        case .refuse(let refusal): object("refuse", text(refusal.rawValue))
        case .answer(let answer): object("answer", text(answer.text))
        case .hold(let time): object("answer", object("after", text(time.text)))
        case .portal(let address): object("portal", text(address))
        }
    }

    static let loseFromHereText = "lose silently from here"
}

extension ByteCount {
    /// The count in bytes: "1280 bytes".
    var exactText: String { "\(bytes) bytes" }
}
