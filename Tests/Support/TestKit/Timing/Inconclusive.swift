// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Ends the current test, or the current case of one with arguments, without a verdict: this machine was too busy to tell
/// what the test measures. scripts/testing/summary reads the line, and counts the test apart.
package func endInconclusively(_ reason: String) throws -> Never {
    let words = reason.split(whereSeparator: \.isNewline).joined(separator: "; ")
    print("inconclusive: \(Test.current?.resultName ?? "no test"): \(words)")
    fflush(nil)
    try Test.cancel("inconclusive: \(words)")
}

extension Test {
    /// The name that the results in XML have, as "Target.Suite/test()": an identifier is "Target.Suite/test()/File.swift:1:2".
    fileprivate var resultName: String {
        let parts = "\(id)".split(separator: "/").dropLast()
        guard let name = parts.last else { return "\(id)" }
        guard parts.count > 1 else { return String(name).replacing(".", with: "/", maxReplacements: 1) }
        return parts.dropLast().joined(separator: ".") + "/\(name)"
    }
}
