// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles
internal import LinuxSystem

/// An engine that speaks Docker's HTTP API at a unix socket: Docker, and Podman's service.
///
/// Asked in HTTP/1.0, it sends no chunks; without a version in the path, it answers in its own.
struct EngineAPI: ContainerSource {
    let name: String
    let socket: String
    /// Whether the user has named it. Another must be trusted whenever it is asked.
    let isNamed: Bool

    /// Seconds for an answer: a daemon that is stopped never ends one.
    private static let limit = 10

    var description: String { "\(name) at \(socket)" }

    func containers(named word: String) throws(ContainerError) -> [Container] {
        let (status, json) = try get("/containers/\(word)/json")
        if status == 404 { return [] }
        if status == 200, let json, let container = Container(inspected: json) { return [container] }
        // The start of several IDs is an error: 400 of Docker, 500 of Podman.
        let found = [400, 500].contains(status) ? try running().filter { $0.id.hasPrefix(word) } : []
        guard found.count > 1 else { throw unexpected(status, json) }
        return found
    }

    func events() -> EngineEvents? {
        try? withSocket { path throws(SystemError) in try EngineEvents(at: path, limit: Self.limit) }
    }

    /// Lends a path at which its socket is, which no other user can have put there.
    private func withSocket<Result>(_ body: (String) throws(SystemError) -> Result) throws(SystemError) -> Result {
        guard !isNamed else { return try body(socket) }
        guard let file = TrustedFile.open(socket) else {
            // An engine that was stopped takes its socket along.
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

    /// Whether process IDs are the same here as for another process, as far as can be known.
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
    /// Reads what `GET /containers/NAME/json` returns; nil for anything else.
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

    /// Reads an element of what `GET /containers/json` returns.
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

    /// Reads an object of strings; other members are left out.
    static func labels(_ json: JSON?) -> [String: String] {
        let pairs = (json?.members ?? []).compactMap { member in
            String(json: member.value).map { (member.name, $0) }
        }
        return Dictionary(pairs) { _, last in last }
    }

    private static func name(_ path: String) -> String { String(path.trimmingPrefix("/")) }
}

extension Container.SharedNetwork {
    /// Reads Docker's NetworkMode; nil for a network of the container's own.
    fileprivate init?(mode: String) {
        switch mode {
        case "host": self = .host
        case _ where mode.hasPrefix("container:"): self = .container(String(mode.dropFirst("container:".count)))
        default: return nil
        }
    }
}
