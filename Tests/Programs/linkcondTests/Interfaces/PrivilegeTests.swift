// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The manual's table of the processes that linkcond starts, and of what each may do, is what /proc shows.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct PrivilegeTests {
    /// The rows of the table.
    private static func rows() throws -> [String] {
        let page = Package.directory.appending(path: "Sources/Programs/linkcond/linkcond.docc/privileges.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        return lines.drop { !$0.hasPrefix("|---") }.dropFirst().prefix { $0.hasPrefix("|") }.map { $0 }
    }

    /// The mode, of a row.
    private static func mode(_ row: String) -> String {
        let columns = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return columns.count > 1 ? columns[1] : row
    }

    /// What a function of privileges.py finds is exactly what the manual says of the same modes.
    private func compare(_ function: String, modes count: Int) throws {
        let found = try PrivateWorld.check(.tester, ["private-link.py", "privileges.py"], "\(function)()")
            .lines.map(String.init)
        let modes = Set(found.map(Self.mode))
        #expect(modes.count == count, "\(modes)")
        let told = try Self.rows().filter { modes.contains(Self.mode($0)) }
        #expect(
            Set(told) == Set(found),
            "not as in the manual:\n\(Set(found).subtracting(told).sorted().joined(separator: "\n"))"
        )
    }

    @Test(.enabled(if: Kernel.hasUplink, "needs /dev/net/tun"))
    func holdsInSandboxes() throws { try compare("sandboxes", modes: 4) }

    @Test func holdsOnInterfaces() throws { try compare("interfaces", modes: 4) }

    @Test func holdsForMirrors() throws { try compare("mirrors", modes: 1) }

    @Test(.enabled(if: Kernel.hasNetem, "needs sch_netem"))
    func holdsWhereTheKernelCarriesTheConditions() throws { try compare("kernelsOwn", modes: 2) }

    @Test func tellsOfNoOtherMode() throws {
        #expect(try Set(Self.rows().map(Self.mode)).count == 11)
    }
}
