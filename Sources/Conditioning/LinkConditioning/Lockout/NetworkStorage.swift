// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// A mounted file system or a block device that another host serves. While its packets are lost, processes that need it
/// wait in the kernel, where no signal ends them.
struct NetworkStorage: Hashable {
    /// The mount point or the device's name on this machine.
    let name: String
    /// The kind: a file system's type, or `iscsi`, `nvme`, `nbd`.
    let kind: String
    /// The host that serves it.
    let server: IPAddress
    /// The host's port; nil if it is not known.
    let port: UInt16?

    /// The packets to the server.
    var traffic: RemoteTraffic? {
        let address = server.description.prefix { $0 != "%" }
        return AddressPrefix(String(address)).map {
            RemoteTraffic(remote: $0, ports: Set([port].compactMap { $0 }))
        }
    }

    /// Whether a rule on `device` for `selection` would match packets to the server.
    func isCarried(by device: String, _ selection: Selection, _ network: RouteConnection) -> Bool {
        guard let traffic, selection.includes(traffic) else { return false }
        return network.interfaces(to: server).contains(device)
    }

    /// A note for the user about the storage that `device` carries; nil if `storage` is empty.
    static func note(_ storage: [NetworkStorage], on device: String) -> ConditioningNote? {
        guard let first = storage.first else { return nil }
        let list = storage.prefix(3).map { "\($0.name) (\($0.kind) from \($0.server))" }.joined(separator: ", ")
        let rest = storage.count > 3 ? " and \(storage.count - 3) more" : ""
        return ConditioningNote(
            "\(device) carries \(list)\(rest), which the conditions affect too",
            remedy: Remedy(.excludeAddress, "\(first.server)")
        )
    }

    /// All storage of this machine that another host serves, as far as /proc and /sys name an address.
    ///
    /// - Parameter root: the directory that holds `proc` and `sys`.
    static func all(under root: String = "") -> [NetworkStorage] {
        let all = mounts(ProcFile("\(root)/proc/self/mountinfo").lines) + iscsi(root) + nvme(root) + nbd(root)
        return all.reduce(into: []) { found, storage in
            if !found.contains(storage) { found.append(storage) }
        }
    }
}
