// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// The containers that run here, with their interfaces and conditions.
package struct ContainerList {
    package var containers: [ListedContainer] = []
    /// The reason why some source could not be asked.
    package var failures: [ContainerError] = []

    /// Asks every source. The calling thread stays in the network of the last container.
    package init(_ sources: [any ContainerSource]) {
        for source in sources {
            do throws(ContainerError) {
                // An engine and its runtime both know it; the engine, which comes first, knows more.
                for container in try source.running()
                where !containers.contains(where: { $0.container.id == container.id }) {
                    guard let listed = ListedContainer(container, of: source) else { continue }
                    containers.append(listed)
                }
            } catch {
                failures.append(error)
            }
        }
        containers.sort { ($0.container.name, $0.container.id) < ($1.container.name, $1.container.id) }
        // After the last question: this process's network is then another one.
        for index in containers.indices { containers[index].examine() }
    }
}

/// A container that runs, as far as it can be examined.
package struct ListedContainer {
    package var container: Container
    /// The engine or the runtime.
    package var source: String
    /// The interfaces besides loopback; nil if its network cannot be entered.
    package var interfaces: [String]?
    /// The conditions applied in its network; nil if they are not known.
    package var status: StatusReport?
    /// The reason why the status is not known.
    package var problem: String?

    private var network: ContainerNetwork?

    /// Opens its network; nil if it has ended meanwhile.
    init?(_ found: Container, of source: any ContainerSource) {
        (container, self.source) = (found, source.name)
        do throws(ContainerError) {
            let network = try ContainerNetwork(of: found.id, [source])
            container.process = network.process.processID
            container.sharedNetwork = network.sharedWith.map { .container($0) }
            self.network = network
        } catch {
            guard error.kind != .notFound else { return nil }
            problem = error.message
        }
    }

    /// Enters its network, and reads what is there.
    mutating func examine() {
        guard let namespace = network?.namespace else { return }
        do throws(ConditioningError) {
            let conditioner = try InterfaceConditioner(in: namespace, command: "containers")
            interfaces = try conditioner.interfaces().map(\.name)
            status = try conditioner.status(nil)
        } catch {
            problem = error.message
        }
        network = nil
    }
}
