// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A bulk transfer over TCP between two namespaces.
enum TCPTransfer {
    /// Sends `count` bytes to an address of `receiver` and gives how many arrived.
    static func run(from sender: String, to receiver: String, address: String, count: Int) throws -> Int {
        let port: UInt16 = 7100
        let listener = try Namespace.socket(in: receiver, family: AF_INET, type: SOCK_STREAM)
        defer { close(listener) }
        var local = SocketAddress("0.0.0.0", port)
        guard local.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 1) == 0 else {
            throw POSIXError(.EADDRINUSE)
        }
        let client = try Namespace.socket(in: sender, family: AF_INET, type: SOCK_STREAM)
        var remote = SocketAddress(address, port)
        guard remote.withPointer({ connect(client, $0, $1) }) == 0 else { throw POSIXError(.ECONNREFUSED) }
        let server = accept(listener, nil, nil)
        defer { close(server) }

        let sending = Thread {
            let chunk = [UInt8](repeating: 0, count: 65536)
            var sent = 0
            while sent < count {
                let written = write(client, chunk, min(chunk.count, count - sent))
                guard written > 0 else { break }
                sent += written
            }
            close(client)
        }
        sending.start()
        var received = 0
        var buffer = [UInt8](repeating: 0, count: 262_144)
        while case let length = read(server, &buffer, buffer.count), length > 0 { received += length }
        return received
    }
}
