// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

extension Journal {
    /// The indexes of the interfaces with an entry in the network that the thread is in.
    func indexes() throws(SystemError) -> [Int32] {
        guard let network = try machine.journalNetwork(marksIfNeeded: false) else { return [] }
        return Set(try files().filter { $0.isOf(network) }.map(\.index)).sorted()
    }

    /// The entries with suspended rules, of the interfaces `indexes` in the network that the thread is in.
    ///
    /// - Throws: `journal` if an entry, which may have suspended rules, cannot be read.
    func suspended(_ indexes: [Int32]) throws(ConditioningError) -> [JournalEntry] {
        guard let network = try journalAnswer(machine.journalNetwork(marksIfNeeded: false)) else { return [] }
        var entries: [JournalEntry] = []
        for index in indexes {
            switch read(index, in: network) {
            case .entry(let entry) where !entry.suspended.isEmpty: entries.append(entry)
            case .unreadable(let error): throw ConditioningError(reading: error)
            case .damaged(let reason): throw unusable(index, in: network, "is \(reason)")
            case .otherVersion(let version):
                throw unusable(index, in: network, "was written by another version of linkcond (format \(version))")
            case .entry, .absent, .otherBoot, .elsewhere, .otherInterface: continue
            }
        }
        return entries
    }

    private func unusable(_ index: Int32, in network: JournalNetwork, _ reason: String) -> ConditioningError {
        let path = path(network.files(of: index).present, "entry")
        return ConditioningError(.journal, "the journal entry \(path) \(reason)", remedy: Remedy(.reset))
    }

    /// The other networks with an entry that can be entered. A network, with its conditions, exists until its last
    /// process and mount are gone.
    func otherNamespaces() throws(SystemError) -> [NetworkNamespace] {
        let own = try machine.journalNetwork(marksIfNeeded: false)?.identity.number
        let numbers = Set(try files().compactMap(\.number)).subtracting([own].compactMap { $0 })
        guard !numbers.isEmpty else { return [] }
        let living = LivingNetworks.find { NetworkIdentity.Number.currentIfReadable }.known
        return living.filter { numbers.contains($0.key) }
            .map { number, namespace in .numbered(number, namespace.path) }
            .sorted { $0.description < $1.description }
    }
}
