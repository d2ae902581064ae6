// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Reads a TLS handshake as far as it is in the clear.
struct TLSHandshake: StreamReader {
    private var client = TLSRecords()
    private var server = TLSRecords()
    private var serverName: String?
    private var version: String?
    /// The packet that completed the ServerHello.
    private var serverHello: ObservedPacket?
    private var serverChangesCipher = false
    private var secured: ObservedPacket?

    var isFinished: Bool { secured != nil || client.hasEnded && server.hasEnded }

    func describe(_ connection: inout Connection) {
        connection.serverName = serverName
        connection.tlsVersion = version
        connection.secured = secured
    }

    mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        if side == .client {
            let records = client.read(piece)
            if !client.hasHello, TLSHello.isWhole(client.handshake) {
                serverName = TLSHello.serverName(client.handshake)
                client.hasHello = true
            }
            for record in records { readClient(record) }
        } else {
            let records = server.read(piece)
            if !server.hasHello, TLSHello.isWhole(server.handshake) {
                version = TLSHello.version(server.handshake)
                serverHello = piece.packet
                server.hasHello = true
            }
            for record in records { readServer(record) }
        }
    }

    /// In TLS 1.3, the client sends its first encrypted handshake record when it has the server's Finished. Records
    /// that it sends before the ServerHello is delivered are early data.
    private mutating func readClient(_ record: TLSRecord) {
        guard secured == nil, version == "TLS 1.3", record.type == TLSRecord.applicationData,
            record.length > TLSRecord.longestAlert, let delivered = serverHello?.delivered,
            record.first.sent >= delivered
        else { return }
        secured = record.first
    }

    /// Before TLS 1.3 the server's Finished is its first handshake message after ChangeCipherSpec.
    private mutating func readServer(_ record: TLSRecord) {
        guard secured == nil, let version, version != "TLS 1.3" else { return }
        if record.type == TLSRecord.changeCipherSpec {
            serverChangesCipher = true
        } else if record.type == TLSRecord.handshake, serverChangesCipher {
            secured = record.last
        }
    }
}
