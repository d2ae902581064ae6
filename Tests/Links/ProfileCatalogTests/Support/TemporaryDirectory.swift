// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory that is removed with its content when the object is released.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "linkcond-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path(percentEncoded: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes `text` to the file `name` and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }

    /// Writes a profile called `name` with a summary to recognize it by.
    @discardableResult
    func writeProfile(_ name: String, summary: String, to file: String) throws -> String {
        try write("{ \"name\": \"\(name)\", \"summary\": \"\(summary)\" }\n", to: file)
    }

    /// Makes the directory `name` and returns its path.
    func makeDirectory(_ name: String) throws -> String {
        let directory = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        return directory
    }
}
