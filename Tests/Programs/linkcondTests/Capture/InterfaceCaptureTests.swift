// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// `run -i DEV --capture FILE`: the packets of an interface as long as a command runs.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct InterfaceCaptureTests {
    @Test(arguments: [
        "holdsEachPacketOnceWithItsFate", "holdsWhatNeedsNoLane", "goesOnAfterASwitch", "isForItsOwnerAlone",
        "saysThatTheDiskIsFull", "endsThePipeOfItsReader",
    ])
    func capture(_ behaviour: String) throws {
        try PrivateLink.check("interface-capture.py", "\(behaviour)()")
    }

    @Test(arguments: [2, 15])
    func endsWithASignal(_ signal: Int) throws {
        try PrivateLink.check("interface-capture.py", "endsWithASignal(\(signal))")
    }

    /// The file holds what was seen before.
    @Test(arguments: ["lc-pump", "lc-guardian", "lc-standby", "lc-supervisor", "linkcond"])
    func nothingRemainsWhicheverProcessIsKilled(process: String) throws {
        try PrivateLink.check("interface-capture.py", "nothingRemainsWhicheverProcessIsKilled('\(process)')")
    }
}
