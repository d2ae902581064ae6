// SPDX-License-Identifier: Apache-2.0

/// An archive of a few files in the format of tar(5): a POSIX ustar archive of plain files, without folders.
///
/// Reading is strict, since an archive may come from anywhere: no links, no paths, no file twice, nothing of any
/// extension of the format, and bounded sizes.
package struct TarArchive: Hashable, Sendable {
    package struct File: Hashable, Sendable {
        package var name: String
        package var content: [UInt8]

        package init(_ name: String, _ content: [UInt8]) { (self.name, self.content) = (name, content) }
    }

    /// The reason why bytes are not such an archive.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The largest number of files, and of bytes of an archive.
    package static let (maximumFiles, maximumSize) = (64, 256 << 20)
    static let block = 512

    package internal(set) var files: [File] = []

    package init() {}

    /// Adds a file; nothing may have its name, which has letters, digits, ".", "-" and "_" only.
    package mutating func add(_ name: String, _ content: [UInt8]) {
        precondition(Self.isName(name) && self[name] == nil, "\(name) is no name for a file of the archive")
        files.append(File(name, content))
    }

    package subscript(name: String) -> [UInt8]? { files.first { $0.name == name }?.content }

    private static let letters = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".unicodeScalars
    )

    static func isName(_ name: String) -> Bool {
        1...100 ~= name.utf8.count && name.first != "."
            && name.unicodeScalars.allSatisfy { letters.contains($0) }
    }
}

extension TarArchive {
    /// The archive's bytes.
    ///
    /// - Parameter time: the time of the files, in seconds since 1970.
    package func bytes(time: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for file in files {
            bytes += Self.header(file, time: time)
            bytes += file.content
            bytes += [UInt8](repeating: 0, count: Self.padding(file.content.count))
        }
        // Two empty blocks are the end.
        return bytes + [UInt8](repeating: 0, count: 2 * Self.block)
    }

    static func padding(_ size: Int) -> Int { (block - size % block) % block }

    private static func header(_ file: File, time: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        put(file.name, at: Field.name.lowerBound)
        put("0000644\u{0}", at: 100)
        put("0000000\u{0}", at: 108)
        put("0000000\u{0}", at: 116)
        put(octal(file.content.count, digits: 11), at: Field.size.lowerBound)
        put(octal(max(time, 0), digits: 11), at: 136)
        put("0", at: Field.type)
        put("ustar\u{0}00", at: Field.magic.lowerBound)
        put(octal(sum(header[...]), digits: 6) + "\u{0} ", at: Field.checksum.lowerBound)
        return header
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// The sum of a header's bytes, with the bytes of the checksum itself as spaces.
    static func sum(_ header: ArraySlice<UInt8>) -> Int {
        header.enumerated().reduce(0) { $0 + Int(Field.checksum.contains($1.offset) ? UInt8(ascii: " ") : $1.element) }
    }

    /// The positions of a header's fields.
    enum Field {
        static let (name, size, checksum) = (0..<100, 124..<136, 148..<156)
        static let type = 156
        static let (link, magic, prefix) = (157..<257, 257..<265, 345..<500)
    }
}
