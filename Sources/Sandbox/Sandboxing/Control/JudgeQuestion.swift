// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles
package import SandboxClient

/// A question of the supervisor to the process that reads the run's packets: a client's request, with facts that only
/// the supervisor knows. All packets and events of the time before it are in the files by then.
package struct JudgeQuestion {
    /// The client's request; nil for a question of the supervisor itself.
    package var request: JudgeRequest?
    /// The end of what is judged.
    package var end: Instant
    /// Packets seen before this moment are in the capture, and samples taken before it in the record.
    package var known: Instant
    /// Packets of before the end whose fate is not known.
    package var held = 0
    /// The sockets that some process held at the end.
    package var open: [RunRecord.OpenSocket] = []
    /// The ancestors of the process that the request is about.
    package var ancestors: [Int32] = []
    /// Whether the run has processes that are none of that process's, and none of its ancestors.
    package var hasOthers = false
    /// The reason why not all that the client did is in the files; nil if it is.
    package var problem: String?

    init(_ request: JudgeRequest?, end: Instant, known: Instant) {
        (self.request, self.end, self.known) = (request, end, known)
    }
}

extension JudgeQuestion: JSONObject {
    package static let blank = JudgeQuestion(nil, end: .zero, known: .zero)

    package mutating func describe(_ members: inout JSONMembers) {
        members.optional("request", &request)
        members.required("end", &end)
        members.required("known", &known)
        members.required("held", &held)
        members.required("open", &open)
        members.required("ancestors", &ancestors)
        members.required("others", &hasOthers)
        members.optional("problem", &problem)
    }
}

extension RunRecord.OpenSocket: JSONObject {
    package static let blank = Self(.blank)

    package mutating func describe(_ members: inout JSONMembers) {
        socket.describe(&members)
        members.lenient("owner", &owner)
        members.lenient("holder", &holder)
        members.lenient("inode", &inode)
    }
}
