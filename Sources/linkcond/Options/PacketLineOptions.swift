// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// How packets are printed. The letters are those of tcpdump(8).
struct PacketLineOptions: ParsableArguments {
    @Flag(name: .customShort("n"), help: "Addresses as numbers, even where the capture has their names.")
    var isNumeric = false

    @Flag(name: .customShort("t"), help: "No time.")
    var hidesTime = false

    @Flag(name: .customShort("q"), help: "Only protocol and length.")
    var isQuiet = false

    @Flag(name: .customShort("A"), help: "The bytes of each packet as text.")
    var showsText = false

    @Flag(name: .customShort("x"), help: "The bytes of each packet as hexadecimal numbers.")
    var showsNumbers = false

    /// Whether any is given.
    var isUsed: Bool { isNumeric || hidesTime || isQuiet || showsText || showsNumbers }
}
