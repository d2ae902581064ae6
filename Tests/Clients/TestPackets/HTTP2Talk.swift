// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import DecryptedStreams
import Testing

@testable import ClientTraffic

/// A conversation of both sides, whose bytes are cut into segments.
struct HTTP2Talk {
    let client = HTTP2Speaker()
    let server = HTTP2Speaker()
    var capture = TestCapture(decoders: CaptureDecoders())
    private var next: (client: UInt32, server: UInt32) = (1, 1)
    private var time = 40
    var segment = 1400

    init(hasPreface: Bool = true) {
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        if hasPreface { send(HTTP2Frames.preface + HTTP2Speaker.settings) }
    }

    mutating func send(_ bytes: [UInt8]) { put(bytes, .client) }
    mutating func answer(_ bytes: [UInt8]) { put(bytes, .server) }

    private mutating func put(_ bytes: [UInt8], _ side: Connection.Side) {
        for start in stride(from: 0, to: bytes.count, by: segment) {
            let part = Array(bytes[start..<min(start + segment, bytes.count)])
            time += 50
            if side == .client {
                capture.client(.data, next.client, ack: next.server, part, at: time)
                next.client += UInt32(part.count)
            } else {
                capture.server(.data, next.server, ack: next.client, part, at: time)
                next.server += UInt32(part.count)
            }
        }
    }

    var connection: Connection {
        get throws { try #require(capture.connection) }
    }
}
