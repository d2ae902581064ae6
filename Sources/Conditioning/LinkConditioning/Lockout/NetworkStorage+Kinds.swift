// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

extension NetworkStorage {
    /// Mounted network file systems, from the lines of /proc/PID/mountinfo, proc(5).
    static func mounts(_ lines: [String]) -> [NetworkStorage] {
        lines.flatMap { line -> [NetworkStorage] in
            let fields = line.split(separator: " ").map(String.init)
            guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 3, fields.count > 4 else { return [] }
            let (kind, source) = (fields[dash + 1], fields[dash + 2])
            func option(_ name: String) -> String? { value(of: name, in: fields[dash + 3]) }
            let name = unescaped(fields[4])
            func at(_ address: String?, _ port: UInt16?) -> [NetworkStorage] {
                guard let server = address.flatMap({ IPAddress($0) }) else { return [] }
                return [NetworkStorage(name: name, kind: kind, server: server, port: port)]
            }
            switch kind {
            case "nfs", "nfs4": return at(option("addr"), option("port").flatMap { UInt16($0) } ?? 2049)
            case "cifs", "smb3": return at(option("addr"), option("port").flatMap { UInt16($0) } ?? 445)
            // The source lists the monitors' addresses, "10.0.0.1:6789,10.0.0.2:6789:/path"; data comes from other
            // hosts.
            case "ceph": return source.split(separator: ",").flatMap { at(host(of: String($0)), nil) }
            case "9p": return option("trans") == "tcp" ? at(source, option("port").flatMap { UInt16($0) } ?? 564) : []
            default: return []
            }
        }
    }

    /// iSCSI connections: /sys/class/iscsi_connection, of drivers/scsi/scsi_transport_iscsi.c.
    static func iscsi(_ root: String) -> [NetworkStorage] {
        let top = "\(root)/sys/class/iscsi_connection"
        return DirectoryListing.names(in: top).sorted().compactMap { name in
            // The address in use, or else the configured one, which remains while there is no connection.
            let address = ["address", "persistent_address"].lazy
                .compactMap { ProcFile("\(top)/\(name)/\($0)").firstLine.flatMap { IPAddress($0) } }.first
            let port = ProcFile("\(top)/\(name)/persistent_port").firstLine.flatMap { UInt16($0) } ?? 3260
            return address.map { NetworkStorage(name: name, kind: "iscsi", server: $0, port: port) }
        }
    }

    /// NVMe controllers over TCP: /sys/class/nvme, "traddr=10.0.0.1,trsvcid=4420".
    static func nvme(_ root: String) -> [NetworkStorage] {
        let top = "\(root)/sys/class/nvme"
        return DirectoryListing.names(in: top).sorted().compactMap { name in
            guard ProcFile("\(top)/\(name)/transport").firstLine == "tcp" else { return nil }
            let address = ProcFile("\(top)/\(name)/address").firstLine ?? ""
            guard let server = value(of: "traddr", in: address).flatMap({ IPAddress($0) }) else { return nil }
            let port = value(of: "trsvcid", in: address).flatMap { UInt16($0) }
            return NetworkStorage(name: name, kind: "nvme", server: server, port: port)
        }
    }

    /// Network block devices in use, which have a file `pid` (drivers/block/nbd.c). The kernel does not name the
    /// server, so its address is taken from the connections of the process in `pid` or, if it has none, from all
    /// connections to nbd's port.
    static func nbd(_ root: String) -> [NetworkStorage] {
        let top = "\(root)/sys/block"
        let devices = DirectoryListing.names(in: top).filter { $0.hasPrefix("nbd") }.sorted()
        return devices.flatMap { name -> [NetworkStorage] in
            guard let process = ProcFile("\(top)/\(name)/pid").firstLine.flatMap({ Int32($0) }) else { return [] }
            let sockets = Set(SocketInodes.held(by: process, under: root).compactMap { UInt64($0) })
            let connections = SocketTable.entries(in: [.established], under: "\(root)/proc/net") ?? []
            let own = connections.filter { sockets.contains($0.inode) }
            return (own.isEmpty ? connections.filter { $0.remote.port == 10809 } : own).compactMap { socket in
                socket.remote.address.map {
                    NetworkStorage(name: name, kind: "nbd", server: $0, port: socket.remote.port)
                }
            }
        }
    }

    /// The value of a key in "key=value,key=value".
    private static func value(of key: String, in list: String) -> String? {
        let pair = list.split(separator: ",").first { $0.hasPrefix("\(key)=") }
        return pair.map { String($0.dropFirst(key.count + 1)) }
    }

    /// The address of "10.0.0.1:6789:/path" or "[2001:db8::1]:6789:/path".
    private static func host(of source: String) -> String {
        source.hasPrefix("[")
            ? String(source.dropFirst().prefix { $0 != "]" }) : String(source.prefix { $0 != ":" })
    }

    /// Decodes a mount point: the kernel writes spaces and some other characters as octal escapes such as "\\040".
    private static func unescaped(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let digits = bytes[index] == UInt8(ascii: "\\") ? bytes[(index + 1)...].prefix(3) : []
            if digits.count == 3, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8) {
                result.append(value)
                index += 4
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
