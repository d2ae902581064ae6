// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program in Python from the folder `Scripts` beside the test targets.
///
/// Its text is passed on the command line, so that a user or a mount namespace that cannot read the file can run it.
package struct Script: Sendable {
    package let text: String

    /// Reads the script `name` beside the target that `file` belongs to.
    package init(_ name: String, file: StaticString = #filePath) {
        var folder = URL(filePath: "\(file)").deletingLastPathComponent()
        while folder.deletingLastPathComponent().lastPathComponent != "Tests", folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        let path = folder.appending(path: "Scripts/\(name)")
        do {
            text = try String(contentsOf: path, encoding: .utf8)
        } catch {
            preconditionFailure("\(path): \(error)")
        }
    }

    /// The words that run it, alone from the environment's variables and from installed packages.
    package func command(_ arguments: [String] = []) -> [String] {
        ["/usr/bin/python3", "-ISc", text] + arguments
    }

    /// The line of shell that runs it.
    package func line(_ arguments: [String] = []) -> String {
        command(arguments).map(Shell.quoted).joined(separator: " ")
    }
}
