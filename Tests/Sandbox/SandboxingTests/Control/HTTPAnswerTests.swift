// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinuxSystem

@Suite struct HTTPAnswerTests {
    @Test func readsWhatIsWhole() throws {
        let answer = try #require(HTTPAnswer(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na\r\n\r".utf8)))
        #expect(answer.status == 200)
        #expect(answer.body == Array("a\r\n\r".utf8))
        // The end of the connection is the end of the answer in HTTP/1.0 only.
        let old = Array("HTTP/1.0 200 OK\r\n\r\nabc".utf8)
        #expect(HTTPAnswer(old, .http10)?.body == Array("abc".utf8) && HTTPAnswer(old) == nil)
        #expect(HTTPAnswer(Array("HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nabc".utf8), .http10) == nil)
        #expect(HTTPAnswer(Array("HTTP/1.1 204 No Content\r\n\r\n".utf8))?.status == 204)
    }

    /// A capture that a killed supervisor cut off must not read as one in which nothing more happened.
    @Test(
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nabc", "SSH-2.0-x\r\n\r\n",
        ]
    )
    func refusesWhatIsCutOff(_ text: String) {
        #expect(HTTPAnswer(Array(text.utf8)) == nil)
    }
}
