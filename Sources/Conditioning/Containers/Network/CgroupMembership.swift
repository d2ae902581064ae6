// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The container that the control groups of a process belong to.
///
/// Docker, Podman and containerd name a container's groups after its ID: `/docker/ID`, `/system.slice/docker-ID.scope`,
/// `/machine.slice/libpod-ID.scope/container`, `/kubepods/pod3f1a.../ID`.
struct CgroupMembership {
    /// The IDs that the groups name, one for each hierarchy that names any.
    let containers: Set<String>

    /// Reads a text like /proc/PID/cgroup.
    init(_ text: some StringProtocol) {
        containers = Set(
            text.split(whereSeparator: \.isNewline).compactMap { line in
                line.split(separator: ":", maxSplits: 2).last.flatMap { Self.innermost(in: $0) }
            }
        )
    }

    /// Reads the groups of a process; empty if the process has ended.
    init(of process: Int32) { self.init(ProcFile("/proc/\(process)/cgroup").text) }

    /// The ID of another container than `id` to which the groups belong; nil if unknown.
    ///
    /// - Parameter own: the groups of this process. Processes in these groups may be in a container that has no groups
    ///   of its own.
    func otherContainer(than id: String, own: CgroupMembership) -> String? {
        guard Self.isID(id), !containers.contains(id) else { return nil }
        return containers.subtracting(own.containers).min()
    }

    /// The last ID in a group's path: a container may run within the groups of another one.
    private static func innermost(in path: some StringProtocol) -> String? {
        path.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.last { isID($0) }.map { String($0) }
    }

    /// Whether a word is an ID that an engine has generated, rather than a name given to a runtime.
    private static func isID(_ word: some StringProtocol) -> Bool {
        word.utf8.count == 64 && word.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
    }
}
