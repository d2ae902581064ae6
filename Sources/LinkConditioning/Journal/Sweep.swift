// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Netlink

/// Mends what somebody who was stopped has left in the network of a connection, on every interface that nobody is
/// changing.
public enum Sweep {
    /// Looks at every interface with anything of ours, and every one that the journal knows.
    ///
    /// - Returns: what was mended, in words for the user.
    public static func mend(_ connection: RouteConnection, journal: Journal?) -> [String] {
        guard let found = try? Inspector(connection).conditionedDevices(), let links = try? connection.links() else {
            return []
        }
        var names = found.devices.map(\.link.name)
        var notes: [String] = []
        if let journal, let place = JournalPlace.current {
            for known in journal.places() where known.namespace == place.namespace {
                if let link = links.first(where: { $0.index == known.index }) {
                    if !names.contains(link.name) { names.append(link.name) }
                } else {
                    // The interface went away, and its conditions with it.
                    try? journal.remove(known.index, in: place)
                }
            }
        }
        for name in names {
            do {
                let claim = try Claim(
                    name,
                    connection,
                    journal: journal,
                    command: "status",
                    patience: .zero,
                    strictness: .lenient
                )
                notes += claim.notes
                claim.release()
            } catch {
                // Whoever is changing it mends it, or it is a matter for those who may change it.
                guard ![.busy, .notPermitted, .notFound].contains(error.code) else { continue }
                notes.append("cannot mend \(name): \(error.message)")
            }
        }
        journal?.forgetLocks()
        return notes + deleteLanes(found.abandoned, connection)
    }

    /// Deletes lanes whose interface and maker are gone.
    private static func deleteLanes(_ lanes: [LaneState], _ connection: RouteConnection) -> [String] {
        let dead = lanes.filter { !$0.tag.makerIsAlive }
        guard !dead.isEmpty else { return [] }
        var plan = Plan()
        plan.retire = dead.map { .deleteDevice($0.name.description) }
        guard (try? Conditioner(connection).retire(plan)) != nil else { return [] }
        let list = dead.map(\.name.description).joined(separator: ", ")
        return ["deleted \(list), left of the conditions of an interface that is gone"]
    }
}
