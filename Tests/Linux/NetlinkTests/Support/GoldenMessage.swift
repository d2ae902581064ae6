// SPDX-License-Identifier: Apache-2.0

import Foundation
import Netlink
import Testing

/// A message that the real tc or ip sent; scripts/lab/record-golden writes them.
enum GoldenMessage {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Golden")

    /// The names of all that were recorded.
    static func names() throws -> Set<String> {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return Set(files.filter { $0.pathExtension == "hex" }.map { $0.deletingPathExtension().lastPathComponent })
    }

    /// The bytes of the message called `name`.
    static func bytes(_ name: String) throws -> [UInt8] {
        let text = try String(contentsOf: folder.appending(path: name + ".hex"), encoding: .utf8)
        return try text.split(separator: "\n").flatMap { line in
            try line.prefix { $0 != "#" }.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
        }
    }
}

/// Expects that `request` says what the recorded message `name` says: the same type, flags, header and, in each
/// attribute that was recorded, the same payload.
///
/// - Parameters:
///   - zeros: the parts that only ours has, all of whose bytes are zero.
///   - additions: the parts that only ours has, and their bytes.
///   - exceptions: the parts in which ours differs, and why it may.
func expectSame(
    _ request: Request,
    as name: String,
    zeros: Set<String> = [],
    additions: [String: [UInt8]] = [:],
    exceptions: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let recorded = try MessageParts(GoldenMessage.bytes(name)).values
    let ours = try MessageParts(request.bytes).values
    for (part, bytes) in recorded.sorted(by: { $0.key < $1.key }) {
        if let reason = exceptions[part] {
            #expect(ours[part] != bytes, "\(part) needs no exception: \(reason)", sourceLocation: sourceLocation)
        } else {
            #expect(ours[part] == bytes, "\(part)", sourceLocation: sourceLocation)
        }
    }
    let more = ours.filter { recorded[$0.key] == nil }
    #expect(Set(more.keys) == zeros.union(additions.keys), sourceLocation: sourceLocation)
    for (part, bytes) in more {
        #expect(bytes == additions[part] ?? bytes.map { _ in 0 }, "\(part)", sourceLocation: sourceLocation)
    }
}
