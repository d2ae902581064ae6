// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

/// The result of reading an entry. Everything but `.entry` is ignored.
enum JournalReading: Hashable, Sendable {
    case absent
    /// A valid entry for this interface of this network.
    case entry(JournalEntry)
    /// Not a valid entry; holds an adjective for it, such as "empty".
    case damaged(String)
    /// The file exists, or may exist, but cannot be read, perhaps only this time.
    case unreadable(SystemError)
    /// An entry in another version of the format.
    case otherVersion(String)
    /// An entry of an earlier boot.
    case otherBoot
    /// An entry for another interface or network.
    case elsewhere
    /// An entry for another interface, of this name, which had the same index before.
    case otherInterface(String)

    var isUnreadable: Bool { if case .unreadable = self { true } else { false } }

    static let version = 3
    private static let magic = "linkcond-journal"

    /// The bytes of an entry: a line with format, checksum and length, then the entry as JSON.
    static func bytes(of entry: JournalEntry) -> [UInt8] {
        let body = Array((entry.json.text + "\n").utf8)
        return header(for: body) + body
    }

    static func header(for body: [UInt8]) -> [UInt8] {
        let sum = String(CRC32.checksum(body), radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.count) + sum
        return Array("\(magic) \(version) \(digits) \(body.count)\n".utf8)
    }

    /// Decodes the entry of the interface `index` in `network`.
    init(_ bytes: [UInt8], network: JournalNetwork, index: Int32) {
        self = Self.decode(bytes)
        guard case .entry(let entry) = self else { return }
        if entry.network.bootID != network.bootID {
            self = .otherBoot
        } else if entry.network != network || entry.index != index {
            self = .elsewhere
        }
    }

    /// Decodes an entry without checking its network and interface.
    init(_ bytes: [UInt8]) {
        self = Self.decode(bytes)
    }

    private static func decode(_ bytes: [UInt8]) -> JournalReading {
        guard !bytes.isEmpty else { return .damaged("empty") }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return .damaged("truncated") }
        let fields = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard fields.count == 4, fields[0] == magic else { return .damaged("invalid") }
        guard fields[1] == String(version) else {
            // A flipped byte must not be taken for another version; this check excludes all flips but from digit to
            // digit.
            return Int(fields[1]).map { .otherVersion(String($0)) } ?? .damaged("corrupt (format version)")
        }
        let body = Array(bytes[(end + 1)...])
        if let length = Int(fields[3]), length > body.count {
            return .damaged("truncated (\(body.count) of \(length) bytes)")
        }
        guard Array(bytes[...end]) == header(for: body) else { return .damaged("corrupt (checksum mismatch)") }
        guard let json = try? JSON(utf8: body), let entry = JournalEntry(json: json) else {
            return .damaged("malformed")
        }
        return .entry(entry)
    }

    /// Checks that the entry is for the interface `name` with this link-layer address, not for an earlier one with the
    /// same index. Name and address may change, but a deleted interface loses its filters, so `hasFilters` proves that
    /// it is the same interface; the returned entry then has the present name and address.
    func about(_ name: String, address: String, hasFilters: Bool) -> JournalReading {
        guard case .entry(var entry) = self, entry.name != name || entry.address != address else { return self }
        guard hasFilters else { return .otherInterface(entry.name) }
        (entry.name, entry.address) = (name, address)
        return .entry(entry)
    }
}
