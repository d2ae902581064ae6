// SPDX-License-Identifier: Apache-2.0

extension TarArchive {
    /// Whether bytes look like an archive: the first header has the format's mark.
    package static func isArchive(_ bytes: [UInt8]) -> Bool {
        bytes.count >= block && bytes[Field.magic].starts(with: Array("ustar".utf8))
    }

    /// Reads an archive.
    package init(_ bytes: [UInt8]) throws(Malformed) {
        guard bytes.count <= Self.maximumSize else { throw Self.problem("larger than \(Self.maximumSize >> 20) MiB") }
        var rest = bytes[...]
        while true {
            guard rest.count >= Self.block else { throw Self.problem("cut off") }
            let header = rest.prefix(Self.block)
            rest = rest.dropFirst(Self.block)
            guard header.contains(where: { $0 != 0 }) else { break }
            let (name, size) = try Self.read(header)
            guard files.count < Self.maximumFiles else { throw Self.problem("more than \(Self.maximumFiles) files") }
            guard self[name] == nil else { throw Self.problem("two files are called \(name)") }
            guard size <= rest.count else { throw Self.problem("\(name) is cut off") }
            files.append(File(name, Array(rest.prefix(size))))
            rest = rest.dropFirst(size + Self.padding(size))
        }
        guard rest.allSatisfy({ $0 == 0 }) else { throw Self.problem("something follows its end") }
    }

    /// The name and the size that a header tells.
    private static func read(_ header: ArraySlice<UInt8>) throws(Malformed) -> (name: String, size: Int) {
        let header = Array(header)
        // "ustar\0" is POSIX's mark; "ustar  \0" that of GNU tar. Both have the fields that are read here.
        guard header[Field.magic].starts(with: Array("ustar".utf8)) else { throw problem("no tar archive") }
        guard number(header[Field.checksum]) == sum(header[...]) else { throw problem("damaged: a checksum is wrong") }
        guard let name = text(header[Field.name]), isName(name), text(header[Field.prefix]) == "" else {
            throw problem("it has a file whose name has other characters than letters, digits, \".\", \"-\", \"_\"")
        }
        // Links, folders, devices, and the headers of extensions.
        guard [UInt8(ascii: "0"), 0].contains(header[Field.type]), header[Field.link].allSatisfy({ $0 == 0 }) else {
            throw problem("\(name) is no plain file")
        }
        guard let size = number(header[Field.size]) else { throw problem("\(name) has no size") }
        return (name, size)
    }

    /// The text of a field up to its first zero byte; nil if something follows that.
    private static func text(_ field: ArraySlice<UInt8>) -> String? {
        let text = field.prefix { $0 != 0 }
        guard field.dropFirst(text.count).allSatisfy({ $0 == 0 }) else { return nil }
        return String(validating: text, as: UTF8.self)
    }

    /// The octal number of a field, which spaces or zero bytes surround; nil for anything else.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let space = UInt8(ascii: " ")
        let digits = field.drop { $0 == space }.prefix { UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }
        guard !digits.isEmpty, field[digits.endIndex...].allSatisfy({ $0 == space || $0 == 0 }) else { return nil }
        // At most 12 digits: no overflow.
        return digits.reduce(0) { $0 << 3 | Int($1 - UInt8(ascii: "0")) }
    }

    private static func problem(_ words: String) -> Malformed { Malformed(description: words) }
}
