// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

/// The directory in which runc or crun keeps a directory for each container, by ID. It also contains containerd's
/// containers, and containers of engines whose service does not run.
struct RuntimeState: ContainerSource {
    let name: String
    let directory: String

    var description: String { "\(name) in \(directory)" }

    func containers(named word: String) throws(ContainerError) -> [Container] {
        guard let state = TrustedFile.open(directory) else { return [] }
        let all = state.names
        let chosen = all.contains(word) ? [word] : all.filter { $0.hasPrefix(word) }
        return chosen.compactMap { Self.container($0, in: state) }
    }

    func running() throws(ContainerError) -> [Container] {
        guard let state = TrustedFile.open(directory) else { return [] }
        return state.names.compactMap { Self.container($0, in: state) }
            .filter { $0.process != nil && $0.status != Self.created }
    }

    /// Always nil: a runtime has no events.
    func events() -> EngineEvents? { nil }

    /// The status of a container whose first process waits to be started. The container's network may not be ready.
    private static let created = "created"

    private static func container(_ id: String, in directory: TrustedFile) -> Container? {
        guard let files = directory.child(id) else { return nil }
        // The names of the state file of runc and of crun.
        for name in ["state.json", "status"] {
            guard let state = json(name, in: files) else { continue }
            guard var container = Container(id: id, state: state, startTime: { ProcessIdentity($0)?.startTime }) else {
                return nil
            }
            // While this pipe exists, the process waits for a reader of it.
            if container.process != nil, files.child("exec.fifo") != nil { container.status = Self.created }
            // crun keeps the annotations in its copy of the container's configuration.
            if container.labels.isEmpty {
                container.labels = Container.labels(json("config.json", in: files)?["annotations"])
            }
            return container
        }
        return nil
    }

    private static func json(_ name: String, in directory: TrustedFile) -> JSON? {
        directory.child(name)?.content.flatMap { try? JSON(utf8: $0) }
    }
}

extension Container {
    /// Reads a state file of runc or crun; nil for anything else.
    ///
    /// - Parameter startTime: returns the start time of a running process, in clock ticks. The file stays if the
    ///   runtime is killed, so the process ID in it may belong to another process.
    init?(id: String, state json: JSON, startTime: (Int32) -> UInt64?) {
        guard let process: Int32 = json.required("init_process_pid") ?? json.required("pid"),
            let start: UInt64 = json.required("init_process_start") ?? json.required("process-start-time")
        else { return nil }
        // runc stores the annotations and the bundle as "name=value".
        let listed: [String]? = json["config"]?.required("labels")
        let pairs = (listed ?? []).compactMap { text in
            text.firstIndex(of: "=").map { (String(text[..<$0]), String(text[text.index(after: $0)...])) }
        }
        let isAlive = process > 0 && startTime(process) == start
        self.init(
            id: id,
            name: id,
            status: isAlive ? "running" : "exited",
            process: isAlive ? process : nil,
            start: "\(start)",
            labels: Dictionary(pairs) { _, last in last }
        )
    }
}
