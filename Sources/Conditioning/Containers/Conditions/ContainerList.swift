// SPDX-License-Identifier: Apache-2.0

package import LinkConditioning
internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// The running containers of this machine, with their interfaces and conditions.
package struct ContainerList {
    package var containers: [ListedContainer] = []
    /// The errors of sources that could not be queried.
    package var failures: [ContainerError] = []

    /// Queries every source. The calling thread stays in the network of the last container.
    package init(_ sources: [any ContainerSource]) {
        for source in sources {
            do throws(ContainerError) {
                // An engine and its runtime both list a container; the engine, which comes first, has more facts about
                // it.
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
        // Done after the last query: it moves this thread into other networks.
        for index in containers.indices { containers[index].examine() }
    }
}

/// A running container, with the facts that can be determined.
package struct ListedContainer {
    package var container: Container
    /// The name of the engine or the runtime.
    package var source: String
    /// The interfaces besides loopback; nil if the container's network cannot be entered.
    package var interfaces: [String]?
    /// The conditions applied in the container's network; nil if unknown.
    package var status: StatusReport?
    /// The reason why the status is not known.
    package var problem: String?

    private var network: ContainerNetwork?

    /// Opens the container's network; nil if the container has ended meanwhile.
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

    /// Enters the container's network, and reads its interfaces and conditions.
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
