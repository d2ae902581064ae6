// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The interface that a file of the journal is about, as in its name: "cookie4097-2.entry" is the entry of the
/// interface with the index 2 in the network namespace with the cookie 4097.
struct JournalFile: Hashable {
    var network: Network
    var index: Int32

    /// The network in the name of a file.
    enum Network: Hashable {
        case number(NetworkIdentity.Number)
        /// The network's inode, which format 2 used. A later network may have the same inode.
        case inode(UInt64)

        /// The text for the network in the file's name.
        var name: String {
            switch self {
            case .number(.cookie(let cookie)): "cookie\(cookie)"
            case .number(.mark(let mark)): "mark\(String(mark, radix: 16))"
            case .inode(let inode): "\(inode)"
            }
        }
    }

    init(_ index: Int32, in network: Network) {
        self.network = network
        self.index = index
    }

    /// Parses the name of a file; nil for a name of another pattern.
    init?(name: String) {
        guard let stem = name.split(separator: ".").first, stem.endIndex < name.endIndex,
            let hyphen = stem.firstIndex(of: "-"), let index = Int32(stem[stem.index(after: hyphen)...])
        else { return nil }
        let word = stem[..<hyphen]
        if let cookie = UInt64(word.trimmingPrefix("cookie")), word.hasPrefix("cookie") {
            self.init(index, in: .number(.cookie(cookie)))
        } else if let mark = UInt64(word.trimmingPrefix("mark"), radix: 16), word.hasPrefix("mark") {
            self.init(index, in: .number(.mark(mark)))
        } else if let inode = UInt64(word) {
            self.init(index, in: .inode(inode))
        } else {
            return nil
        }
    }

    /// The network's number; nil in format 2.
    var number: NetworkIdentity.Number? {
        if case .number(let number) = network { number } else { nil }
    }

    /// The name up to the ending.
    var stem: String { "\(network.name)-\(index)" }

    /// Whether the file is about an interface of `other`. For format 2, an earlier network may have had the same
    /// inode.
    func isOf(_ other: JournalNetwork) -> Bool {
        network == .number(other.identity.number) || network == .inode(other.identity.inode)
    }
}

extension JournalNetwork {
    /// The files of the interface `index`: the present format's and format 2's.
    func files(of index: Int32) -> (present: JournalFile, format2: JournalFile) {
        (JournalFile(index, in: .number(identity.number)), JournalFile(index, in: .inode(identity.inode)))
    }
}
