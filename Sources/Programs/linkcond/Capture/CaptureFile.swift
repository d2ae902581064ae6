// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Glibc

enum CaptureFile {
    /// Passes each record of a file, or of standard input for "-", to `body`, until `body` returns false.
    static func read(_ path: String, _ body: (CaptureRecord) -> Bool) throws {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let status: Failure.Status = errno == EACCES ? .notPermitted : .notFound
            throw Failure(status, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { if path != "-" { close(descriptor) } }
        try read(descriptor, named: path, start: [], body)
    }

    /// Reads an open file, whose first bytes, `start`, were already read.
    static func read(
        _ descriptor: CInt,
        named path: String,
        start: [UInt8],
        _ body: (CaptureRecord) -> Bool
    ) throws {
        var reader = CaptureReader()
        reader.append(start)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        do {
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw Failure(.inputOutput, "cannot read \(path): \(String(cString: strerror(errno)))")
                }
                guard count > 0 else { break }
                reader.append(buffer[..<count])
                while let record = try reader.next() {
                    guard body(record) else { return }
                }
            }
        } catch let error as MalformedCapture {
            throw Failure(.badProfile, "\(path) cannot be read further: \(error)")
        }
        guard reader.isRecognized else {
            throw Failure(
                .badProfile,
                "\(path) is neither a pcapng nor a pcap file: it is \(reader.isCut ? "too short" : "empty")"
            )
        }
        if reader.isCut { Console.note("\(path) ends within a packet, as if its writer had been killed") }
    }
}
