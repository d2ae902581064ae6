// SPDX-License-Identifier: Apache-2.0

/// A file of the page, embedded in the program.
package struct PageFile: Sendable {
    /// The file's name, which is its path below the page's address.
    package let name: String
    package let text: String

    /// The media type, by the name's extension; all files are text.
    package var type: String {
        let types = [
            "html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml",
            "json": "application/json",
        ]
        let end = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
        return "\(end.flatMap { types[$0] } ?? "text/plain"); charset=utf-8"
    }

    /// All files of the page.
    package static var all: [PageFile] { EmbeddedPage.all }

    /// The file with this name; nil for none.
    package static func named(_ name: String) -> PageFile? { all.first { $0.name == name } }
}
