// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles
package import SandboxClient

/// A request of the supervisor to the process that reads the run's packets: a client's request, with facts that only
/// the supervisor knows. When it is sent, the files have all packets and events from before `known`.
package struct JudgeQuestion {
    /// The client's request; nil if the supervisor asks for itself.
    package var request: JudgeRequest?
    /// The end of the judged part.
    package var end: Instant
    /// Packets seen before this moment are in the capture, and samples taken before it in the record.
    package var known: Instant
    /// The number of packets from before `end` whose fate is not known.
    package var held = 0
    /// The sockets that some process held at the end.
    package var open: [RunRecord.OpenSocket] = []
    /// The ancestors of the process that the request is about.
    package var ancestors: [Int32] = []
    /// Whether the run has processes besides the requested process, its relatives and its ancestors.
    package var hasOthers = false
    /// The reason why the files miss something that the client did; nil if they are complete.
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
