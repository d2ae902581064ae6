// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// An engine that speaks Docker's HTTP API at a unix socket: Docker, and Podman's service.
///
/// Requests use HTTP/1.0, so that responses are not chunked, and paths without an API version, for the engine's
/// default.
struct EngineAPI: ContainerSource {
    let name: String
    let socket: String
    /// Whether the user has named the socket. Otherwise its path is checked at each request.
    let isNamed: Bool

    /// The time limit for a response, in seconds: a stopped daemon never sends one.
    private static let limit = 10

    var description: String { "\(name) at \(socket)" }

    func containers(named word: String) throws(ContainerError) -> [Container] {
        let (status, json) = try get("/containers/\(word)/json")
        if status == 404 { return [] }
        if status == 200, let json, let container = Container(inspected: json) { return [container] }
        // For the start of several IDs, Docker responds with the error 400, Podman with 500.
        let found = [400, 500].contains(status) ? try running().filter { $0.id.hasPrefix(word) } : []
        guard found.count > 1 else { throw unexpected(status, json) }
        return found
    }

    func events() -> EngineEvents? {
        try? withSocket { path throws(SystemError) in try EngineEvents(at: path, limit: Self.limit) }
    }

    /// Calls `body` with a path to the socket that no other user can have created.
    private func withSocket<Result>(_ body: (String) throws(SystemError) -> Result) throws(SystemError) -> Result {
        guard !isNamed else { return try body(socket) }
        guard let file = TrustedFile.open(socket) else {
            // An engine that stops deletes its socket.
            guard access(socket, F_OK) == 0 else { throw SystemError(operation: "reach \(socket)", code: errno) }
            throw SystemError(operation: "trust \(socket), which another user could have put there", code: EPERM)
        }
        defer { withExtendedLifetime(file) {} }
        do {
            return try body(file.path)
        } catch {
            throw SystemError(operation: "reach \(socket)", code: error.code)
        }
    }

    func running() throws(ContainerError) -> [Container] {
        let (status, json) = try get("/containers/json")
        guard status == 200, case .array(let all)? = json?.value else { throw unexpected(status, json) }
        return all.compactMap { Container(listed: $0) }
    }

    private func get(_ resource: String) throws(ContainerError) -> (status: Int, JSON?) {
        let answer: HTTPAnswer
        do {
            answer = try withSocket { path throws(SystemError) in
                try HTTPAnswer(to: "GET", resource, at: path, .http10, limit: Self.limit)
            }
        } catch {
            let isForbidden = [EACCES, EPERM].contains(error.code)
            throw ContainerError(isForbidden ? .notPermitted : .unavailable, "\(name): \(error)")
        }
        guard let server = answer.server, Self.sharesProcessIDs(with: server) else {
            throw ContainerError(
                .unavailable,
                "\(description) numbers processes in another PID namespace, where they are not those of here",
                remedy: "docker run --pid=host, or linkcond where the engine runs"
            )
        }
        return (answer.status, try? JSON(utf8: answer.body))
    }

    /// Whether this process and `process` are in the same PID namespace; true if unknown.
    private static func sharesProcessIDs(with process: Int32) -> Bool {
        guard let theirs = FileIdentity("/proc/\(process)/ns/pid") else { return true }
        return FileIdentity("/proc/self/ns/pid") == theirs
    }

    private func unexpected(_ status: Int, _ json: JSON?) -> ContainerError {
        let reason: String? = json?.required("message")
        return ContainerError(.unavailable, "\(description) answered \(status)\(reason.map { ": \($0)" } ?? "")")
    }
}

extension Container {
    /// Parses the response to `GET /containers/NAME/json`; nil for anything else.
    init?(inspected json: JSON) {
        guard let id: String = json.required("Id"), let state = json["State"],
            let status: String = state.required("Status"), let process: Int32 = state.required("Pid")
        else { return nil }
        let mode: String? = json["HostConfig"]?.required("NetworkMode")
        self.init(
            id: id,
            name: json.required("Name").map { Self.name($0) } ?? id,
            status: status,
            process: process > 0 ? process : nil,
            start: state.required("StartedAt") ?? "",
            labels: Self.labels(json["Config"]?["Labels"]),
            sharedNetwork: mode.flatMap { SharedNetwork(mode: $0) }
        )
    }

    /// Parses an element of the response to `GET /containers/json`.
    init?(listed json: JSON) {
        guard let id: String = json.required("Id") else { return nil }
        let names: [String]? = json.required("Names")
        let status: String? = json.required("State")
        self.init(
            id: id,
            name: names?.first.map { Self.name($0) } ?? id,
            status: status ?? "",
            start: "",
            labels: Self.labels(json["Labels"])
        )
    }

    /// Reads an object's members that are strings; ignores other members.
    static func labels(_ json: JSON?) -> [String: String] {
        let pairs = (json?.members ?? []).compactMap { member in
            String(json: member.value).map { (member.name, $0) }
        }
        return Dictionary(pairs) { _, last in last }
    }

    private static func name(_ path: String) -> String { String(path.trimmingPrefix("/")) }
}

extension Container.SharedNetwork {
    /// Parses Docker's NetworkMode; nil for a network of the container's own.
    fileprivate init?(mode: String) {
        switch mode {
        case "host": self = .host
        case _ where mode.hasPrefix("container:"): self = .container(String(mode.dropFirst("container:".count)))
        default: return nil
        }
    }
}
