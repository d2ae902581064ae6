// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// What was found in the place of an entry. Anything but `.entry` is not acted upon.
public enum JournalReading: Hashable, Sendable {
    /// There is nothing.
    case absent
    /// An entry for this interface of this network, whole.
    case entry(JournalEntry)
    /// Something else, or not all of an entry; says in words what.
    case damaged(String)
    /// An entry of another format than this program writes.
    case otherVersion(String)
    /// An entry of an earlier run of the machine.
    case otherBoot
    /// An entry for another interface or network.
    case elsewhere
    /// An entry for an interface that had this index before, under the name given.
    case otherInterface(String)

    /// The format that is written and read here.
    static let version = 2
    private static let magic = "linkcond-journal"

    /// The bytes of an entry: a line with format, checksum and length, and the entry as JSON.
    static func bytes(of entry: JournalEntry) -> [UInt8] {
        let body = Array((entry.json.text + "\n").utf8)
        return header(for: body) + body
    }

    private static func header(for body: [UInt8]) -> [UInt8] {
        let sum = String(CRC32.checksum(body), radix: 16)
        let digits = String(repeating: "0", count: 8 - sum.count) + sum
        return Array("\(magic) \(version) \(digits) \(body.count)\n".utf8)
    }

    /// Judges what was read, where an entry for the interface `index` in `place` is to be.
    init(_ bytes: [UInt8], place: JournalPlace, index: Int32) {
        guard !bytes.isEmpty else {
            self = .damaged("it is empty")
            return
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            self = .damaged("it is cut off in its first line")
            return
        }
        let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 4, words[0] == Self.magic else {
            self = .damaged("it is no entry of linkcond")
            return
        }
        guard words[1] == String(Self.version) else {
            // A flipped byte must not pass for another version; the other words would agree only by chance.
            self = Int(words[1]).map { .otherVersion(String($0)) } ?? .damaged("its first line is wrong")
            return
        }
        let body = Array(bytes[(end + 1)...])
        if let length = Int(words[3]), length > body.count {
            self = .damaged("it is cut off: \(body.count) of \(length) bytes")
            return
        }
        guard Array(bytes[...end]) == Self.header(for: body) else {
            self = .damaged("its checksum does not fit")
            return
        }
        guard let json = try? JSON(utf8: body), let entry = JournalEntry(json: json) else {
            self = .damaged("it is not what this version writes")
            return
        }
        guard entry.place.bootID == place.bootID else {
            self = .otherBoot
            return
        }
        self = entry.place == place && entry.index == index ? .entry(entry) : .elsewhere
    }

    /// The entry, where it is about the interface `name` with this link-layer address, and not about one that had the
    /// index before. Either may change; but an interface takes its filters with it when it goes, so `hasFilters` of
    /// ours says that it is the same.
    func about(_ name: String, address: String, hasFilters: Bool) -> JournalReading {
        guard case .entry(var entry) = self, entry.name != name || entry.address != address else { return self }
        guard hasFilters else { return .otherInterface(entry.name) }
        (entry.name, entry.address) = (name, address)
        return .entry(entry)
    }
}
