// SPDX-License-Identifier: Apache-2.0

/// Reads what two sides say to each other in one protocol.
protocol StreamReader {
    /// Takes the next bytes of a side.
    mutating func take(_ piece: StreamPiece, from side: Connection.Side)

    /// Whether nothing more can be learnt.
    var isFinished: Bool { get }

    /// Adds what was learnt to a connection.
    func describe(_ connection: inout Connection)
}
