// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// The path for the sockets of processes that serve the calling thread's network: files in the journal's directory,
/// which only its user can reach.
package struct SocketDirectory: Hashable, Sendable {
    /// The file name extension of mirrors' sockets. The sockets of ended networks are deleted like entries.
    package static let mirrorEnding = "mirror"

    package let directory: String
    /// The network in the names of the files: "cookie4097".
    package let network: String

    /// The location for a new socket; nil if this user has no directory, or the network has no number.
    package static func forNewFile() throws(ConditioningError) -> SocketDirectory? {
        guard let journal = try Journal.open(), let network = try journalAnswer(JournalNetwork.currentMarkedIfNeeded())
        else {
            return nil
        }
        return SocketDirectory(journal, network.identity.number)
    }

    /// The location of existing sockets; nil if there are none that this user could reach.
    package static var current: SocketDirectory? {
        guard let journal = try? Journal.existing(), let number = NetworkIdentity.Number.current else { return nil }
        return SocketDirectory(journal, number)
    }

    private init(_ journal: Journal, _ number: NetworkIdentity.Number) {
        (directory, network) = (journal.directory, JournalFile.Network.number(number).name)
    }
}
