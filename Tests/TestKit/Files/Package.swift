// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The package's own files, found from where this file was compiled.
package enum Package {
    package static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    package static let path = String(directory.path(percentEncoded: false).dropLast())

    /// The program under test: `LINKCOND`, or what `swift build` has made.
    package static let linkcond = program("LINKCOND", "linkcond")

    /// What sends and receives for the conformance suite: `LINK_PROBE`, or what `swift build` has made.
    package static let linkProbe = program("LINK_PROBE", "link-probe")

    private static func program(_ variable: String, _ name: String) -> String {
        ProcessInfo.processInfo.environment[variable] ?? "\(path)/.build/debug/\(name)"
    }
}
