// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkProfiles

/// Lists that are longer than any profile needs: a client of the control socket may send them.
@Suite struct ManyFaultsTests {
    private func issues(_ faults: [String]) -> [String] {
        do {
            _ = try Profile(utf8: #"{"name": "A", "faults": [\#(faults.joined(separator: ","))]}"#.utf8)
            return []
        } catch {
            return "\(error)".split(separator: "\n").map(String.init)
        }
    }

    /// What is beyond the limit is not read: each fault is compared with all before it.
    @Test func readsNoMoreFaultsThanAProfileMayHave() {
        let good = (1...64).map { #"{"match": {"port": \#($0)}, "do": "reset"}"# }
        #expect(issues(good).isEmpty)
        let issues = issues(good + Array(repeating: #"{"match": {"prot": 1}, "do": "reset"}"#, count: 2000))
        #expect(issues.contains { $0.contains("2064 faults") } && !issues.contains { $0.contains("prot") }, "\(issues)")
    }

    @Test func readsNoMoreEndsThanAFaultMayHave() {
        let ports = (1...1025).map(String.init).joined(separator: ",")
        let issues = issues([#"{"match": {"port": [\#(ports), "x"]}, "do": "reset"}"#])
        #expect(
            issues.contains { $0.contains("1026 values") } && !issues.contains { $0.contains("\"x\"") },
            "\(issues)"
        )
    }
}
