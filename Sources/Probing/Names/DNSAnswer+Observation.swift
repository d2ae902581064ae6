// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// What the resolver sent makes no sense.
    public static let malformedAnswer = Reason(.name, "malformed")
    /// What was asked for cannot be a name.
    public static let invalidName = Reason(.name, "invalidName")
}

extension Observation {
    /// What an answer says, which came after `elapsed`.
    init(_ answer: DNSAnswer, after elapsed: Duration) {
        let finding: Evidence.Finding =
            switch answer.code {
            case DNSAnswer.Code.noError: answer.addresses.isEmpty ? .failed(.nodata) : .answered(elapsed)
            case DNSAnswer.Code.nameError: .failed(.nxdomain)
            case DNSAnswer.Code.refused: .failed(.queryRefused)
            default: .failed(.servfail)
            }
        self.init(finding)
        addresses = answer.addresses
        timeToLive = answer.timeToLive.map { .seconds(Int64($0)) }
        phases[.resolve] = elapsed
        if ![0, 2, 3, 5].contains(answer.code) {
            detail = "response code \(answer.code)"
        } else if !answer.keepsCase {
            detail = "the server changed the case of the name"
        }
    }
}
