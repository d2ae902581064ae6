// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PanePage
internal import SandboxClient
internal import SocketServing

/// Gives each admitted request to what answers it. Used on the loop that serves the connections.
final class PaneDispatcher {
    private var gate: PaneGate
    private let worker: LoopBound<PaneParts.Work>
    private let slow: [LoopBound<[any PaneResource]>]
    private let report: ReportFolder?
    private let waiters: LiveWaiters
    /// Kept here, since a loop keeps only the owners of its descriptors.
    var server: HTTPServer?

    init(
        _ gate: PaneGate,
        _ worker: LoopBound<PaneParts.Work>,
        _ slow: [LoopBound<[any PaneResource]>],
        _ report: ReportFolder?,
        on loop: EventLoop
    ) {
        (self.gate, self.worker, self.slow, self.report) = (gate, worker, slow, report)
        let renewed = RenewalTarget()
        let target = LoopBound(renewed, on: loop)
        waiters = LiveWaiters(on: loop) {
            worker.execute { work in
                let version = work.live.next()
                target.execute { $0.waiters?.renewed(version) }
            }
        }
        renewed.waiters = waiters
    }

    func respond(to request: HTTPRequest, over connection: HTTPConnection, _ connections: ServedConnections) {
        let client = PaneClient(connection, connections)
        guard let target = PaneTarget(request.target) else {
            return client.send(PaneReply(400, "the address is malformed", path: ""))
        }
        switch gate.admit(request, target, user: { client.user }) {
        case .admitted: answer(request, target, for: client)
        case .entered(let cookie): client.send(PaneReply(to: "/", cookie: cookie))
        case .hadEntered: client.send(PaneReply(to: "/"))
        case .refused(let refusal):
            var reply = PaneReply(refusal.status, refusal.reason, path: target.path)
            if refusal.status == 405 { reply.fields.append(("Allow", PaneGate.methods.joined(separator: ", "))) }
            client.send(reply)
        }
    }

    private func answer(_ request: HTTPRequest, _ target: PaneTarget, for client: PaneClient) {
        let method = request.method == "HEAD" ? "GET" : request.method
        guard target.path.hasPrefix("/v1/") else {
            guard method == "GET" else {
                var reply = PaneReply(405, "only GET, HEAD are allowed here", path: target.path)
                reply.fields.append(("Allow", "GET, HEAD"))
                return client.send(reply)
            }
            return sendFile(target.path, isHead: request.method == "HEAD", to: client)
        }
        guard let body = request.body else {
            let reason = "the body is longer than \(PaneService.longestBody) bytes"
            return client.send(PaneReply(413, reason, path: target.path))
        }
        var json: JSON?
        if !body.isEmpty {
            do throws(MalformedJSON) {
                json = try JSON(utf8: body)
            } catch {
                return client.send(PaneReply(400, "the body is malformed: \(error)", path: target.path))
            }
        }
        if target.path == "/v1/live" { return live(method, target, for: client) }
        let pane = PaneRequest(method, target.path, query: target.query, body: json)
        client.keep()
        offer(pane, for: client)
    }

    /// Sends the file of the page or the report with this path.
    private func sendFile(_ path: String, isHead: Bool, to client: PaneClient) {
        let folder = "/report/"
        if let report, path.hasPrefix(folder) {
            let name = ReportFolder.path(of: path.dropFirst(folder.count))
            guard let file = report.file(name) else { return client.send(Self.missing(path)) }
            return client.send(file, ReportFolder.fields(of: name), isHead: isHead)
        }
        let name = path == "/" ? "index.html" : String(path.dropFirst())
        client.send(PageFile.named(name).map { PaneReply($0) } ?? Self.missing(path))
    }

    private static func missing(_ path: String) -> PaneReply { PaneReply(404, "there is no \(path)", path: path) }

    private func live(_ method: String, _ target: PaneTarget, for client: PaneClient) {
        guard method == "GET" else { return client.send(PaneReply(ControlAPI.refuse(allowing: "GET"))) }
        client.keep()
        waiters.wait(after: target.query["after"].flatMap { Int($0) } ?? -1) { version in
            client.send(
                version.map { PaneReply(liveText: $0.text) } ?? PaneReply(ControlAPI.refuse(.busy, "linkcond is busy"))
            )
        }
    }

    /// Offers a request to the worker's resources.
    private func offer(_ request: PaneRequest, for client: PaneClient) {
        let loop = client.connection.loop
        let (client, next) = (LoopBound(client, on: loop), LoopBound(self, on: loop))
        worker.execute { work in
            if let reply = Self.reply(to: request, of: work.resources) {
                client.execute { $0.send(reply) }
            } else {
                next.execute { $0.offerToSlow(request, for: client.value) }
            }
        }
    }

    /// Offers a request to all slow groups at once: those that it is not for may be busy.
    private func offerToSlow(_ request: PaneRequest, for client: PaneClient) {
        let missing = Self.missing(request.path)
        guard !slow.isEmpty else { return client.send(missing) }
        let open = LoopBound(OpenRequest(client, groups: slow.count), on: client.connection.loop)
        for group in slow {
            group.execute { resources in
                let reply = Self.reply(to: request, of: resources)
                open.execute { $0.receive(reply, otherwise: missing) }
            }
        }
    }

    private static func reply(to request: PaneRequest, of resources: [any PaneResource]) -> PaneReply? {
        for resource in resources {
            if let file = resource.file(request) { return PaneReply(file) }
            if let answer = resource.answer(request) { return PaneReply(answer) }
        }
        return nil
    }
}

/// The reference by which a renewal finds the waiters.
private final class RenewalTarget {
    weak var waiters: LiveWaiters?
}

/// A request that was offered to several groups. Used on the loop that serves its connection.
private final class OpenRequest {
    private var client: PaneClient?
    /// The number of groups that have not answered.
    private var groups: Int

    init(_ client: PaneClient, groups: Int) { (self.client, self.groups) = (client, groups) }

    /// Receives the answer of a group, nil if the request is not for it; sends the first one, or `missing` if it is for
    /// none.
    func receive(_ reply: PaneReply?, otherwise missing: PaneReply) {
        groups -= 1
        guard let client, let reply = reply ?? (groups == 0 ? missing : nil) else { return }
        client.send(reply)
        self.client = nil
    }
}
