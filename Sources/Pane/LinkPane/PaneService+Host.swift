// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
package import LinkRules
internal import LinuxSystem
package import ProfileCatalog
internal import SandboxClient

extension PaneParts {
    /// The pane of this machine's interfaces.
    ///
    /// - Parameters:
    ///   - port: the pane's own port, which a rule on the loopback interface has to leave alone.
    ///   - remedyWords: the command to type for a remedy.
    package static func host(
        _ description: PaneDescription,
        port: UInt16,
        catalog: Catalog,
        remedyWords: @escaping @Sendable (Remedy) -> String
    ) throws -> PaneParts {
        let (program, changes) = (try OwnProgram(), PaneChanges())
        let needsRoot = description.restriction?.line != nil
        return PaneParts(
            work: {
                let kernel = try? InterfaceConditioner(command: "pane").network
                let figures = LiveSampler(pumps: InterfaceConditioner.pumps, kernel: kernel)
                let network = HostNetwork(
                    figures: figures,
                    catalog: catalog,
                    changes: changes,
                    remedyWords: remedyWords
                )
                let connections = HostConnections(figures, network: kernel, hiding: [port]) { _ = network.text() }
                return Work(
                    resources: [
                        DescriptionResource(description), ConnectionsResource(connections) { BootClock.now }, network,
                    ],
                    live: LiveText { network.text() }
                )
            },
            slow: [
                { [ProfilesResource(catalog, run: program.answer)] },
                { [RuleResource(program, port: port, needsRoot: needsRoot, changes: changes)] },
                { [MonitorResource()] },
            ]
        )
    }
}
