// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The test that continuous integration runs once more: a name of the results, as a filter of the test runner.
@Suite struct RepeatedTestTests {
    private static func result(_ suites: String, _ test: String) -> String {
        "<testcase classname=\"\(suites)\" name=\"\(test)\"><failure message=\"too late\" /></testcase>"
    }

    /// The filters that the script prints for a part of these failed tests.
    private func filters(_ results: [String]) throws -> [Substring] {
        let logs = try TemporaryDirectory()
        try logs.write("filter", "")
        try logs.write("lab-1.xml", "<testsuites><testsuite>\(results.joined())</testsuite></testsuites>")
        let script = Shell.quoted("\(Package.path)/scripts/testing/summary")
        let lines = try Shell.check("\(script) \(logs.path) --failed").split(separator: "\n")
        return try lines.map { try #require($0.wholeMatch(of: /lab-1 (.*)/)).output.1 }
    }

    /// The runner joins nested suites by "/", its results by ".".
    @Test(
        arguments: [
            ("LabTests.LabTests.Founding", "delays()", "LabTests.LabTests/Founding/delays()/File.swift:1:2"),
            ("LabTests.Uplinks", "takes(_:_:)", "LabTests.Uplinks/takes(_:_:)/File.swift:1:2"),
        ]
    )
    func areThoseThatFailed(suites: String, test: String, identifier: String) throws {
        let filters = try filters([Self.result(suites, test)])
        #expect(filters.count == 1)
        let filter = try Regex(String(try #require(filters.first)))
        #expect(identifier.firstMatch(of: filter) != nil)
        #expect("LabTests.LabTests/Other/delays()".firstMatch(of: filter) == nil)
    }

    @Test func areNoneWhereTwoFailed() throws {
        #expect(try filters((0..<2).map { Self.result("LabTests.LabTests", "test\($0)()") }).isEmpty)
    }
}
