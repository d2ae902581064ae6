// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkRules
internal import LinuxSystem

/// The sockets at which the pumps of one interface listen: files of a directory of linkcond's user. Processes in the
/// network, such as root of a container, cannot reach them.
///
/// A file's name contains the index of the TAP device, which the kernel does not reuse soon: a frozen pump still
/// listens for a device that is gone. A pump does not delete its file: ``removeUnused()`` does so later.
package struct PumpSockets: Hashable, Sendable {
    /// The ending of the files' names.
    package static let ending = "pump"

    private let directory: String
    /// The beginning of the files' names.
    private let stem: String

    /// - Parameters:
    ///   - directory: an existing directory to which only this user can write.
    ///   - stem: names the interface, and its network.
    package init(in directory: String, stem: String) { (self.directory, self.stem) = (directory, stem) }

    private func name(_ tap: String, _ index: CInt) -> String { "\(stem).\(tap).\(index).\(Self.ending)" }

    /// Opens the socket of the pump that serves the device `tap` with this index.
    func listen(for tap: String, _ index: CInt) throws(PumpRefusal) -> CInt {
        let socket = lc_listen_in(directory, name(tap, index))
        guard socket < 0 else { return socket }
        let error = SystemError(operation: "open a socket in \(directory)", code: -socket)
        throw PumpRefusal(reason: "cannot carry packets in userspace: \(error)")
    }

    /// Connects to the pump that serves `tap` in the network that the calling thread is in.
    ///
    /// - Throws: `gone` if there is no such device, or no process listens for it; `silent` if it accepts no connection.
    func connect(to tap: String) throws(PumpFailure) -> MessageChannel {
        let index = CInt(clamping: if_nametoindex(tap))
        guard index > 0 else { throw .gone }
        for _ in 0..<100 {
            let socket = lc_connect_in(directory, name(tap, index))
            switch -socket {
            // The queue of clients that wait for the pump is full.
            case EAGAIN: usleep(20_000)
            case 1...: throw .gone
            default:
                guard let channel = MessageChannel(trusting: socket) else { throw .gone }
                return channel
            }
        }
        throw .silent
    }

    /// Whether a file of the directory is one of these sockets.
    package func include(_ name: String) -> Bool { device(of: name) != nil }

    /// The device that a file is for; nil if the file is not one of these sockets.
    private func device(of name: String) -> (tap: String, index: UInt32)? {
        let fields = name.split(separator: ".")
        guard fields.count == 4, fields[0] == stem, fields[3] == Self.ending, let index = UInt32(fields[2]) else {
            return nil
        }
        return (String(fields[1]), index)
    }

    /// Deletes the files of pumps whose device is gone from the network that the calling thread is in.
    package func removeUnused() {
        for name in DirectoryListing.names(in: directory) {
            guard let device = device(of: name), if_nametoindex(device.tap) != device.index else { continue }
            unlink("\(directory)/\(name)")
        }
    }
}
