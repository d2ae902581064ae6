// SPDX-License-Identifier: Apache-2.0

package import ClientTraffic
package import ClientVerdicts
package import LinkProfiles
package import SandboxClient

/// What the supervisor asks the process that reads the packets of the run: a client's request, with what only the supervisor
/// knows. All that is about the time before it is in the files by then.
package struct JudgeQuestion {
    /// What the client asks; nil for what the reading process itself wants to know.
    package var request: JudgeRequest?
    /// The end of what is judged.
    package var end: Instant
    /// All packets that were seen before this moment are in the capture, and what was sampled before it in the record.
    package var known: Instant
    /// Packets of before the end whose fate is not known.
    package var held = 0
    /// The sockets that some process held at the end.
    package var open: [RunRecord.OpenSocket] = []
    /// The ancestors of the process that the request is about.
    package var ancestors: [Int32] = []
    /// Whether the run has processes that are none of that process's, and none of its ancestors.
    package var hasOthers = false
    /// Why not all that the client did is in the files; nil if it is.
    package var problem: String?

    init(_ request: JudgeRequest?, end: Instant, known: Instant) {
        (self.request, self.end, self.known) = (request, end, known)
    }
}

extension JudgeQuestion: JSONConvertible {
    package var json: JSON {
        let sockets = open.map {
            JSON(
                ("client", .text($0.socket.client)),
                ("server", .text($0.socket.server)),
                ("owner", .text($0.owner)),
                ("holder", $0.holder?.json),
                ("inode", .number($0.inode))
            )
        }
        return JSON(
            ("request", request?.json),
            ("end", .number(end.nanoseconds)),
            ("known", .number(known.nanoseconds)),
            ("held", .number(held)),
            ("open", .list(sockets)),
            ("ancestors", ancestors.json),
            ("others", .bool(hasOthers)),
            ("problem", .text(problem))
        )
    }

    package init?(json: JSON) {
        guard let end: Int64 = json.required("end"), let known: Int64 = json.required("known"),
            let held: Int = json.required("held"), let ancestors: [Int32] = json.required("ancestors"),
            let hasOthers: Bool = json.required("others"), let problem: String? = json.optional("problem"),
            case .array(let sockets)? = json["open"]?.value
        else { return nil }
        let request = json["request"].map { JudgeRequest(json: $0) }
        if case .some(nil) = request { return nil }
        self.init(request ?? nil, end: Instant(nanoseconds: end), known: Instant(nanoseconds: known))
        (self.held, self.ancestors, self.hasOthers, self.problem) = (held, ancestors, hasOthers, problem)
        open = sockets.compactMap { socket in
            guard let client = socket.required("client").flatMap({ (text: String) in Endpoint(text) }),
                let server = socket.required("server").flatMap({ (text: String) in Endpoint(text) })
            else { return nil }
            return RunRecord.OpenSocket(
                SocketEnds(client, server),
                owner: socket.required("owner"),
                holder: socket.required("holder"),
                inode: socket.required("inode")
            )
        }
    }
}
