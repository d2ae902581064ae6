// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

@Suite struct FilterMarkTests {
    @Test(arguments: Lane.allCases)
    func readsWhatItWrites(lane: Lane) {
        for rule in [1, 33, 255] {
            let mark = FilterMark(rule: rule, lane: lane)
            #expect(FilterMark(mark.cookie) == mark)
        }
    }

    @Test func fitsAnActionsCookie() {
        #expect(FilterMark(rule: 33, lane: .dns).cookie.count <= 16)
    }

    @Test(arguments: [
        [], Array("linkcond".utf8), Array("linkcond1".utf8), Array("linkcond1x".utf8), Array("linkcond1uu".utf8),
        Array("Linkcond1u".utf8), Array("linkgond1u".utf8), [UInt8](repeating: 0, count: 16), Array("u".utf8),
    ])
    func refusesForeignCookies(cookie: [UInt8]) {
        #expect(FilterMark(cookie) == nil)
    }
}
