// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinuxSystem
package import ProfileCatalog
internal import SandboxClient

extension PaneParts {
    /// The pane of a run, by the path of its control socket.
    package static func sandbox(
        _ description: PaneDescription,
        socket: String,
        catalog: Catalog
    ) throws -> PaneParts {
        let program = try OwnProgram()
        // The commands are about the run.
        setenv("LINKCOND_SOCKET", socket, 1)
        @Sendable func client() -> ControlClient { ControlClient(path: socket, limit: SandboxNetwork.limit) }
        return PaneParts(
            work: {
                let network = try? SandboxNetwork(socket: socket, figures: StatusFigures())
                return Work(
                    resources: [DescriptionResource(description)] + (network.map { [$0] } ?? []),
                    live: LiveText { network?.text() ?? Array(#"{"interfaces":[],"rules":[]}"#.utf8) }
                )
            },
            slow: [
                { [ProfilesResource(catalog, run: program.answer)] },
                { [SandboxChanges(program, client())] },
                { [ConnectionsResource(SandboxConnections(client())) { BootClock.now }] },
                { [ArchiveResource(client(), version: description.version)] },
                { Self.monitor(inNetworkOf: socket) },
            ]
        )
    }

    /// The monitor in the network of the run, for a thread of its own, which stays there; none without the right to enter
    /// the network.
    private static func monitor(inNetworkOf socket: String) -> [any PaneResource] {
        // The path of a run's socket is below /proc/PID/root.
        let parts = socket.split(separator: "/")
        guard parts.count > 2, parts[0] == "proc", let process = Int32(parts[1]) else { return [] }
        do throws(SystemError) {
            try NetworkNamespace.ofProcess(process).enter()
            return [MonitorResource()]
        } catch {
            return []
        }
    }
}
