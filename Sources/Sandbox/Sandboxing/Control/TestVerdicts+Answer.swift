// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles
internal import SandboxClient

extension TestVerdicts {
    /// The most packets that are kept: their numbers refer to a capture that the test has, too.
    private static let maximumPackets = 100

    /// The verdicts that a test received; nil for a refusal, and for an answer that later events may change.
    init?(_ request: JudgeRequest, _ answer: ControlAPI.Answer) {
        guard !request.isLive, answer.status == 200, var told = answer.body.flatMap({ TestVerdicts(json: $0) }) else {
            return nil
        }
        for index in told.results.indices {
            told.results[index].packets = Array(told.results[index].packets.prefix(Self.maximumPackets))
        }
        told.name = request.test
        if told.name == nil, case .label(let label) = request.begin { told.name = "since '\(label)'" }
        self = told
    }
}
