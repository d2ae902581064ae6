// SPDX-License-Identifier: Apache-2.0

/// A secret of 160 random bits, of which 128 would do: a code, a cookie's value or a token.
struct PaneSecret: Sendable {
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz234567")
    private static let length = 32

    let text: String

    /// Makes a secret that was never used before; the generator must be one for secrets, as the system's is.
    init(_ random: inout some RandomNumberGenerator) {
        text = String((0..<Self.length).map { _ in Self.letters[Int.random(in: 0..<32, using: &random)] })
    }

    /// Whether `guess` is the secret. The time does not show how much of it is right.
    func equals(_ guess: some StringProtocol) -> Bool {
        let (right, guess) = (Array(text.utf8), Array(guess.utf8))
        return right.count == guess.count && zip(right, guess).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Whether a text has the form of a secret.
    static func isSecret(_ text: some StringProtocol) -> Bool {
        text.utf8.count == length && text.allSatisfy { letters.contains($0) }
    }
}
