// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem

/// The directory in which runc or crun keeps a directory for each container, by ID. containerd's containers are found
/// here, too, and those of engines whose service does not run.
struct RuntimeState: ContainerSource {
    let name: String
    let directory: String

    var description: String { "\(name) in \(directory)" }

    func containers(named word: String) throws(ContainerError) -> [Container] {
        let all = DirectoryListing.names(in: directory)
        let chosen = all.contains(word) ? [word] : all.filter { $0.hasPrefix(word) }
        return chosen.compactMap { container($0) }
    }

    func names() throws(ContainerError) -> [String] {
        DirectoryListing.names(in: directory).compactMap { container($0) }.filter { $0.process != nil }.map(\.name)
    }

    private func container(_ id: String) -> Container? {
        // runc's, and crun's.
        for file in ["state.json", "status"] {
            guard let bytes = try? SmallFile.read("\(directory)/\(id)/\(file)"), let json = try? JSON(utf8: bytes)
            else { continue }
            return Container(id: id, state: json) { ProcessIdentity($0)?.startTime }
        }
        return nil
    }
}

extension Container {
    /// Reads a state file of runc or crun; nil for anything else.
    ///
    /// - Parameter startTime: when a process that runs started, in clock ticks. The file stays if the runtime is killed, and
    ///   its process's ID may be another's now.
    init?(id: String, state json: JSON, startTime: (Int32) -> UInt64?) {
        guard let process: Int32 = json.required("init_process_pid") ?? json.required("pid"),
            let start: UInt64 = json.required("init_process_start") ?? json.required("process-start-time")
        else { return nil }
        let isAlive = process > 0 && startTime(process) == start
        self.init(
            id: id,
            name: id,
            status: isAlive ? "running" : "exited",
            process: isAlive ? process : nil,
            start: "\(start)"
        )
    }
}
