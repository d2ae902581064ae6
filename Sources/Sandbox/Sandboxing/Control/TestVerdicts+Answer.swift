// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles
internal import SandboxClient

extension TestVerdicts {
    /// Packets beyond these are not kept: they are numbers of a capture that the test has, too.
    private static let mostPackets = 100

    /// What an answer told a test; nil for a refusal, and for an answer that what comes later may change.
    init?(_ request: JudgeRequest, _ answer: ControlAPI.Answer) {
        guard !request.isLive, answer.status == 200, let body = answer.body, let begin: Int64 = body.required("begin"),
            let end: Int64 = body.required("end"), var results: [JudgedExpectation] = body.required("expectations")
        else { return nil }
        for index in results.indices { results[index].packets = Array(results[index].packets.prefix(Self.mostPackets)) }
        var name = request.test
        if name == nil, case .label(let label) = request.begin { name = "since '\(label)'" }
        self.init(name, from: Instant(nanoseconds: begin), to: Instant(nanoseconds: end), results)
    }
}
