// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import TrafficControl

extension InterfaceConditioner {
    /// Repairs leftovers of interrupted processes in this network, on every interface that no process is changing.
    ///
    /// - Returns: notes for the user about the repairs.
    public func recover() -> [String] {
        guard let found = try? Inspector(connection).conditionedDevices() else { return [] }
        let journal = (try? machine.existingJournal()) ?? nil
        let recorded = journal.flatMap { try? recordedLinks($0) } ?? []
        var names = found.devices.map(\.link.name)
        names += recorded.map(\.name).filter { !names.contains($0) }
        let notes = names.flatMap { repair($0, journal) }
        journal?.removeEndedNetworks()
        journal?.removeLeftoverFiles()
        return notes + deleteLanes(found.abandoned)
    }

    /// The interfaces that have a journal entry. Deletes the entries of interfaces that are gone, whose conditions went
    /// with them.
    func recordedLinks(_ journal: Journal) throws(ConditioningError) -> [Link] {
        guard let network = try journalAnswer(machine.journalNetwork(marksIfNeeded: false)) else { return [] }
        let indexes = try journalAnswer(journal.indexes())
        // Read after the indexes: another process may make an interface, and then its entry, at any moment.
        let links = try kernelAnswer(connection.links())
        for index in indexes where !links.contains(where: { $0.index == index }) {
            try? journal.remove(index, in: network)
        }
        return links.filter { indexes.contains($0.index) }
    }

    private func repair(_ name: String, _ journal: Journal?) -> [String] {
        do {
            // Opening a session repairs the interface.
            let session = try InterfaceSession.repairing(
                name,
                connection,
                on: machine,
                journal: journal,
                command: "status",
                for: .repair,
                lockTimeout: .zero
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
