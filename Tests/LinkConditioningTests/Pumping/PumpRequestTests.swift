// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem
import Testing

@testable import LinkConditioning

/// What is said to a pump's process, and by it.
@Suite struct PumpRequestTests {
    private static let taps = [
        Tap(name: "lc2r1u", traffic: .leaving, mtu: 1500, address: nil),
        Tap(name: "lc2r1d", traffic: .arriving, mtu: 9000, address: "020000000001"),
    ]

    @Test(arguments: [
        PumpRequest.start([PumpedDevice(name: "eth0", taps: taps)], .slowNet), .use(.slowNet), .revert, .report,
    ])
    func readsWhatItWrites(request: PumpRequest) {
        #expect(PumpRequest(json: request.json) == request)
    }

    @Test(arguments: [
        #"{}"#, #"{"do": "stop"}"#, #"{"do": "use"}"#, #"{"do": "start", "profile": {"name": "x"}}"#, "7",
    ])
    func takesNothingElse(text: String) throws {
        #expect(PumpRequest(json: try JSON(utf8: text.utf8)) == nil)
    }

    @Test(arguments: [PumpAnswer(), PumpAnswer(refusal: "no"), PumpAnswer(profile: .slowNet)])
    func readsAnswers(answer: PumpAnswer) {
        #expect(PumpAnswer(json: answer.json) == answer)
    }

    @Test func carriesTextsOverASocket() throws {
        let (near, far) = try #require(PumpChannel.pair())
        defer { near.close() }
        far.send(PumpRequest.use(.slowNet).json)
        far.send(PumpAnswer(refusal: "no").json)
        far.close()
        #expect(near.receive().flatMap { PumpRequest(json: $0) } == .use(.slowNet))
        #expect(near.receive().flatMap { PumpAnswer(json: $0) } == PumpAnswer(refusal: "no"))
        #expect(near.receive() == nil)
    }

    /// Truncated, of an impossible length, or no JSON.
    @Test(arguments: [[1, 0, 0], [2, 0, 0, 0, 0x7B], [255, 255, 255, 255, 0x7B], [1, 0, 0, 0, 0x7B]] as [[UInt8]])
    func endsAtNonsense(bytes: [UInt8]) throws {
        let (near, far) = try #require(PumpChannel.pair())
        defer { near.close() }
        #expect(write(far.descriptor, bytes, bytes.count) == bytes.count)
        far.close()
        #expect(near.receive() == nil)
    }

    @Test func talksToNobodyWhereThereIsNone() {
        let client = PumpClient("lc999r1u")
        #expect(throws: PumpFailure.gone) { try client.use(.slowNet) }
        #expect(throws: PumpFailure.gone) { try client.report() }
        #expect(client.awaitEmpty(until: .zero, .real) == 0)
    }
}
