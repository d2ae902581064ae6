// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
package import PacketPump
package import SandboxClient

/// Lists the connections of the place that a pane shows. Used on one thread.
package protocol ConnectionList: AnyObject {
    /// The connections at this time of `BootClock`, in any order, and why some are missing.
    func connections(at now: Duration) -> (rows: [ConnectionRow], problem: String?)
}

/// `GET /v1/connections`: searched, sorted and cut here, so that the page gets only what it shows.
package final class ConnectionsResource: PaneResource {
    private let list: any ConnectionList
    private let now: () -> Duration

    /// - Parameter now: the time by `BootClock`.
    package init(_ list: any ConnectionList, now: @escaping () -> Duration) { (self.list, self.now) = (list, now) }

    package func answer(_ request: PaneRequest) -> ControlAPI.Answer? {
        guard request.path == "/v1/connections" else { return nil }
        guard request.method == "GET" else {
            var answer = ControlAPI.refuse(.badRequest, "only GET is allowed here")
            (answer.status, answer.allowed) = (405, "GET")
            return answer
        }
        let query: ConnectionQuery
        do {
            query = try ConnectionQuery(request.query)
        } catch {
            var answer = ControlAPI.refuse(.badRequest, error.message)
            answer.body = answer.body?.replacing("field", JSON(.string(error.field)))
            return answer
        }
        let (all, problem) = list.connections(at: now())
        let (total, rows) = query.select(all)
        return ControlAPI.Answer(
            body: JSON(
                ("total", .number(total)),
                ("shown", .number(rows.count)),
                ("problem", problem.map { JSON(("error", .text($0)), ("kind", "refused")) }),
                ("rows", .list(rows.map(\.json)))
            )
        )
    }
}
