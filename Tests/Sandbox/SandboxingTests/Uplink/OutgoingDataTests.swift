// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sandboxing

/// What is on its way when a command has ended.
@Suite struct OutgoingDataTests {
    private func line(_ state: String, _ queue: String) -> String {
        "   0: 6402000A:C001 020200C0:01BB \(state) \(queue):00000000 01:00000014 00000000     0        0 0 3"
    }

    @Test(arguments: [
        // The kernel counts a FIN as a byte.
        ("04", "000003E9", 1000), ("09", "00000001", 0), ("0B", "00000065", 100), ("04", "00000000", 0),
        // Open, listening, and in TIME_WAIT.
        ("01", "000003E8", 0), ("0A", "00000005", 0), ("06", "00000000", 0),
    ])
    func countsBytesOfClosedSockets(state: String, queue: String, bytes: Int) {
        let heading = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
        let text = [heading, line(state, queue), line(state, queue), ""].joined(separator: "\n")
        #expect(OutgoingData.bytes(in: text) == 2 * bytes)
    }
}
