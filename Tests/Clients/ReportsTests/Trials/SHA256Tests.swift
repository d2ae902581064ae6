// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Reports

@Suite struct SHA256Tests {
    /// FIPS 180-4's examples, and the digest of nothing.
    @Test(arguments: [
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func agreesWithTheStandard(text: String, digest: String) {
        #expect(SHA256.text(of: Array(text.utf8)) == digest)
        // Of a part of an array, and of bytes that are not contiguous.
        #expect(SHA256.text(of: Array("x\(text)y".utf8).dropFirst().dropLast()) == digest)
        #expect(SHA256.text(of: AnyCollection(Array(text.utf8))) == digest)
    }
}
