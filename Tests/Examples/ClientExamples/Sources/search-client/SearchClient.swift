// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Foundation

/// search-client URL [--buggy]: an application with a search screen, and a user of it. With --buggy, leaving the screen
/// does not cancel the search.
@main @MainActor
struct SearchClient {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let options = arguments.filter { $0.hasPrefix("-") }
        guard let text = arguments.first(where: { !$0.hasPrefix("-") }), let url = URL(string: text),
            arguments.count == options.count + 1, options.allSatisfy({ $0 == "--buggy" })
        else {
            print("usage: search-client URL [--buggy]")
            exit(64)
        }
        let client = HTTPClient(configuration: SearchService.configuration)
        let marks = Marks(client: client, socket: ProcessInfo.processInfo.environment["LINKCOND_SOCKET"])
        let app = SearchApp(
            SearchScreen(cancelsWhenLeft: options.isEmpty),
            SearchService(client: client, url: url)
        )
        try await ScriptedUser(app: app, marks: marks).useTheApp()
        try await client.shutdown()
    }
}
