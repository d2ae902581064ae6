// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkPane

@Suite struct PaneTargetTests {
    @Test func decodesPathAndQuery() throws {
        let target = try #require(PaneTarget("/v1/a%20b+c?x=1%202&y=a+b&z&x=%C3%A4&=w"))
        #expect(target.path == "/v1/a b+c")
        #expect(target.query == ["x": "ä", "y": "a b", "z": "", "": "w"])
        #expect(PaneTarget("/")?.query.isEmpty == true)
    }

    @Test(arguments: [
        "", "*", "v1", "http://evil.test/", "/%", "/%4", "/%zz", "/%00", "/?x=%0d%0aa:b", "/%ff", "/?x=%c3", "/%+1",
    ])
    func refusesWhatIsNoPath(target: String) {
        #expect(PaneTarget(target) == nil)
    }
}
