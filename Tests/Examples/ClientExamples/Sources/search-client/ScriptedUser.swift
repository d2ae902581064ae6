// SPDX-License-Identifier: Apache-2.0

/// A user who loses patience: searches, leaves the screen, and searches for less.
@MainActor
struct ScriptedUser {
    let app: SearchApp
    let marks: Marks

    func useTheApp() async throws {
        app.search(for: "concert")
        try await Task.sleep(for: .seconds(4))
        // Set before it happens: what is open at the mark is what leaving has to close.
        try await marks.set("left")
        app.leave()
        try await Task.sleep(for: .milliseconds(1500))
        try await marks.set("second search")
        app.search(for: "concert berlin")
        await app.settle()
    }
}
