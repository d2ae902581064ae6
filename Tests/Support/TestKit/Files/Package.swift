// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The package's own files, found from where this file was compiled.
package enum Package {
    package static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static let path = String(directory.path(percentEncoded: false).dropLast())

    /// The program under test: `LINKCOND`, or else what was built with the tests.
    package static let linkcond = ProcessInfo.processInfo.environment["LINKCOND"] ?? built("linkcond")

    /// What sends and receives for the conformance suite.
    package static let linkProbe = built("link-probe")

    /// A program that was built with the tests, beside their bundle.
    package static func built(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: name).path(percentEncoded: false)
    }
}
