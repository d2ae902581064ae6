// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Repairs what interrupted processes left in the network of a connection, on every interface that no process is
/// changing.
struct CrashRecovery {
    private let connection: RouteConnection
    private let journal: Journal?

    init(_ connection: RouteConnection, journal: Journal?) {
        self.connection = connection
        self.journal = journal
    }

    /// Looks at every interface with anything of ours, and every one that the journal knows.
    ///
    /// - Returns: what was repaired, in words for the user.
    func run() -> [String] {
        guard let found = try? Inspector(connection).conditionedDevices(), let links = try? connection.links() else {
            return []
        }
        var names = found.devices.map(\.link.name)
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
        let notes = names.flatMap(recover)
        journal?.forgetLocks()
        return notes + deleteLanes(found.abandoned)
    }

    private func recover(_ name: String) -> [String] {
        do {
            // To open a session repairs the interface.
            let session = try InterfaceSession(
                name,
                connection,
                journal: journal,
                command: "status",
                patience: .zero,
                strictness: .lenient
            )
            return session.notes
        } catch {
            // A process that is changing the interface repairs it; and a user without rights cannot.
            guard ![.busy, .notPermitted, .notFound].contains(error.code) else { return [] }
            return ["cannot mend \(name): \(error.message)"]
        }
    }

    /// Deletes lanes whose interface and maker are gone.
    private func deleteLanes(_ lanes: [LaneState]) -> [String] {
        let dead = lanes.filter { !$0.alias.makerIsAlive }
        guard !dead.isEmpty else { return [] }
        guard (try? Removal.carryOut([], abandoned: dead, by: PlanExecutor(connection))) != nil else { return [] }
        let list = dead.map(\.name.description).joined(separator: ", ")
        return ["deleted \(list), left of the conditions of an interface that is gone"]
    }
}
