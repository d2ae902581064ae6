// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import Netlink
import TrafficControl

/// The interfaces of the network in which this process is.
enum InterfaceNames {
    /// The names, without the devices of lanes.
    static var all: [String] {
        let links = (try? RouteConnection.current().links()) ?? []
        return links.map(\.name).filter { LaneName($0) == nil }
    }

    /// What to type in place of a name that no interface has.
    static func remedy(for name: String) -> String {
        let all = all
        guard !all.isEmpty else { return "ip link" }
        let list = all.prefix(12).joined(separator: ", ") + (all.count > 12 ? ", ... (ip link)" : "")
        let nearest = Spelling.nearest(to: name, among: all)
        return nearest.map { "-i \($0); there are: \(list)" } ?? "-i with one of: \(list)"
    }
}
