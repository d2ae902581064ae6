// SPDX-License-Identifier: Apache-2.0

// Code of the pages, compiled here. It belongs to the page's reader, so that it runs only in a sandbox of `linkcond
// run`.

// begin test-traits
import LinkConditionerTesting
import Testing

@Suite(.conditioned(by: "Slow Net"))
struct SearchTests {
    @Test(.conditioned(by: "Black Hole"), .expecting(.atMost(5, .connectionAttempts)))
    func givesUp() async throws {
        // Calls the client that is tested.
    }
}
// end test-traits

// begin test-run
func searchesOnce() async throws {
    let judgements = try await LinkConditioner.run(under: "Slow Net", expecting: [.atMost(1, .connections)]) {
        // Calls the client that is tested.
    }
    precondition(judgements.allSatisfy { $0.verdict == .pass }, "\(judgements)")
}
// end test-run
