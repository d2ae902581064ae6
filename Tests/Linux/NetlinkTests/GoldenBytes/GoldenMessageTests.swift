// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite struct GoldenMessageTests {
    @Test func comparesEveryRecordedMessage() throws {
        let compared = FilterGoldenTests.recorded.union(LinkGoldenTests.recorded)
            .union(TokenBucketGoldenTests.recorded.keys)
            .union(NetemGoldenTests.recorded.keys.map { "netem-" + $0 })
            .union(PolicerGoldenTests.recorded.keys)
            .union(["netem-delete", "prio-add"])
        #expect(try GoldenMessage.names() == compared)
    }
}
