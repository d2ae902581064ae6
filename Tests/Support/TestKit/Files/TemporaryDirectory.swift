// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A directory that every user may read. It is removed, with everything in it, with its last reference.
package final class TemporaryDirectory: Sendable {
    package let url: URL

    package var path: String { url.path(percentEncoded: false) }

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "linkcond-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    @discardableResult
    package func write(_ name: String, _ text: String) throws -> URL {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file
    }

    package func read(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    package func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appending(path: name)))
    }
}
