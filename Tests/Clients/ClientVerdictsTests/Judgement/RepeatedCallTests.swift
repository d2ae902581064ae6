// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Requests of HTTP/2 that are sent again.
@Suite struct RepeatedCallTests {
    /// What a server has not processed may be sent again.
    @Test func countsNoRepetitionOfWhatWasNotProcessed() throws {
        func repeated(_ answer: (inout HTTP2Talk) -> Void) throws -> Bool {
            var talk = HTTP2Talk()
            talk.send(talk.client.request(1) + talk.client.request(3, "POST", "/pay"))
            answer(&talk)
            talk.send(talk.client.request(5, "POST", "/pay"))
            let sent = [try talk.connection].sentRequests()
            #expect(sent.count == 3)
            return sent.last?.repeated != nil
        }
        #expect(try !repeated { $0.answer(HTTP2Speaker.reset(3, 7)) })
        #expect(try !repeated { $0.answer(HTTP2Speaker.goAway(1)) })
        #expect(try repeated { $0.answer(HTTP2Speaker.goAway(3)) })
        #expect(try repeated { $0.answer(HTTP2Speaker.reset(3, 2)) })
        #expect(try repeated { $0.send(HTTP2Speaker.reset(3, 8)) })
        #expect(try repeated { _ in })
        #expect(try !repeated { $0.answer($0.server.answer(3)) })
    }

    /// Without an answer that could be read, a request has not failed for certain.
    @Test func doubtsRepetitionsWhereAnswersWereNotRead() throws {
        var talk = HTTP2Talk()
        talk.send(talk.client.request(1, "POST", "/pay"))
        talk.answer(HTTP2Speaker.frame(1, 5, 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
        talk.send(talk.client.request(3, "POST", "/pay"))
        let sent = [try talk.connection].sentRequests()
        #expect(sent.last?.repeated != nil && sent.last?.isCertain == false)
    }
}
