// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// The sockets at which the mirrors of one network listen: files in a directory of linkcond's user. Other processes in
/// the network, even root of a container, cannot reach them.
///
/// A file's name contains the index of the mirror's device, which the kernel does not reuse soon. A mirror's process
/// does not delete its file, since it may be killed: ``removeUnused()`` does so later.
package struct MirrorSockets: Hashable, Sendable {
    private let directory: String
    private let network: String
    private let ending: String

    /// - Parameters:
    ///   - directory: an existing directory to which only this user can write.
    ///   - network: the start of file names for the network of the calling thread.
    package init(in directory: String, network: String, ending: String) {
        (self.directory, self.network, self.ending) = (directory, network, ending)
    }

    private func name(_ index: Int32) -> String { "\(network)-\(index).\(ending)" }

    /// Opens the socket of the mirror whose device has this index: a descriptor, or a negative errno.
    func listen(for index: Int32) -> CInt { lc_listen_in(directory, name(index)) }

    /// Connects to the mirror with this device index: a descriptor, or a negative errno; EAGAIN if its queue is full.
    func connect(to index: Int32) -> CInt { lc_connect_in(directory, name(index)) }

    /// Deletes the files of mirrors whose device is gone from the network of the calling thread.
    package func removeUnused() {
        let (start, end) = ("\(network)-", ".\(ending)")
        var device = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        for name in DirectoryListing.names(in: directory) where name.hasPrefix(start) && name.hasSuffix(end) {
            guard let index = UInt32(name.dropFirst(start.count).dropLast(end.count)),
                if_indextoname(index, &device) == nil
            else { continue }
            unlink("\(directory)/\(name)")
        }
    }
}

/// A request to a mirror's process: one byte.
enum MirrorRequest: UInt8 {
    /// Answered by a report as JSON, and the end of the connection.
    case report = 0x72
    /// Answered by the end of the connection once the device is deleted.
    case stop = 0x73
}
