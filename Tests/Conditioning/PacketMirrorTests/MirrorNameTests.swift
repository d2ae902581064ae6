// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PacketMirror

@Suite struct MirrorNameTests {
    @Test(arguments: ["m0", "mirror", "a.b-c_D9", "abcdefghijklmno"])
    func takesWhatAnInterfaceMayBeCalled(text: String) throws {
        #expect(try MirrorName(text).text == text)
    }

    @Test(arguments: ["", ".", "..", "abcdefghijklmnop", "a b", "a/b", "a:b", "m%d", "\u{1B}[2J", "é", "a\n"])
    func refusesOtherNames(text: String) {
        #expect(throws: MirrorError.self) { try MirrorName(text) }
    }
}
