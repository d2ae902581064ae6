// SPDX-License-Identifier: Apache-2.0

package import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// The network's interfaces besides loopback and linkcond's own devices.
    package func interfaces() throws(ConditioningError) -> [Link] {
        try kernelAnswer(connection.links()).filter { !$0.isLoopback && LaneName($0.name) == nil }
    }

    /// Throws `notFound` if the network has no interface of this name.
    package func requireInterface(_ name: String) throws(ConditioningError) {
        _ = try Inspector(connection).state(of: name)
    }

    /// The interface that connects the network: eth0, or else the only one besides loopback that is up.
    ///
    /// - Throws: `ambiguous` with the list if there are several, `notFound` if there is none.
    package func mainInterface() throws(ConditioningError) -> String {
        let links = try interfaces()
        if let usual = links.first(where: { $0.name == "eth0" }) { return usual.name }
        let up = links.filter(\.isUp).map(\.name)
        guard let only = up.first else {
            throw ConditioningError(.notFound, "the network has no interface that is up but loopback", remedy: "-i lo")
        }
        guard up.count == 1 else {
            throw ConditioningError(
                .ambiguous,
                "the network has several interfaces, and none is called eth0: \(up.joined(separator: ", "))",
                remedy: "-i \(only), or another of these"
            )
        }
        return only
    }
}
