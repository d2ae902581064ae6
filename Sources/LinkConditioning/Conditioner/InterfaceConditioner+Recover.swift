// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// Repairs what interrupted processes left in this network, on every interface that no process is changing.
    ///
    /// - Returns: notes for the user about what was repaired.
    public func recover() -> [String] {
        guard let found = try? Inspector(connection).conditionedDevices(), let links = try? connection.links() else {
            return []
        }
        let journal = (try? machine.existingJournal()) ?? nil
        var names = found.devices.map(\.link.name)
        if let journal, let place = try? machine.place(forChange: false), let indexes = try? journal.indexes() {
            for index in indexes {
                if let link = links.first(where: { $0.index == index }) {
                    if !names.contains(link.name) { names.append(link.name) }
                } else {
                    // The interface was deleted with its conditions.
                    try? journal.remove(index, in: place)
                }
            }
        }
        let notes = names.flatMap { repair($0, journal) }
        journal?.removeEndedNetworks()
        journal?.removeLeftoverFiles()
        return notes + deleteLanes(found.abandoned)
    }

    private func repair(_ name: String, _ journal: Journal?) -> [String] {
        do {
            // Opening a session repairs the interface.
            let session = try InterfaceSession(
                name,
                connection,
                on: machine,
                journal: journal,
                command: "status",
                for: .repair,
                patience: .zero
            )
            return session.notes
        } catch {
            // A process that is changing the interface repairs it; a user without privileges cannot.
            guard ![.busy, .notPermitted, .notFound].contains(error.code) else { return [] }
            return ["cannot repair \(name): \(error.message)"]
        }
    }

    /// Deletes lanes whose interface and maker no longer exist.
    private func deleteLanes(_ lanes: [LaneState]) -> [String] {
        let dead = lanes.filter { !machine.makerIsAlive($0.alias) }
        guard !dead.isEmpty else { return [] }
        guard (try? Removal.carryOut([], abandoned: dead, by: executor)) != nil else { return [] }
        let list = dead.map(\.name.description).joined(separator: ", ")
        return ["deleted \(list), whose interface is gone"]
    }
}
