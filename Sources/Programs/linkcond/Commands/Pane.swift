// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkPane
import LinuxSystem
import Netlink
import ProfileCatalog
import Sandboxing

extension Linkcond {
    struct Pane: ParsableCommand {
        static let configuration = CommandConfiguration(
            .pane,
            abstract: "Show and change conditions in a browser.",
            discussion: """
                Serves one page at 127.0.0.1 and ::1, to who opens the printed address first: its code can be used once. \
                Each change is made by a linkcond command, which the page shows. Without root it shows everything, and \
                changes nothing.

                It ends with Ctrl-C, and leaves conditions as they are.
                """,
            examples: "pane --open",
            "pane --report ./report"
        )

        @Flag(name: .long, help: "Open the page in a browser; not as root.")
        var open = false

        @Option(name: .long, help: ArgumentHelp("The port; otherwise a free one.", valueName: "N"))
        var port: UInt16?

        @Option(
            name: .long,
            help: ArgumentHelp("Show the report in this directory.", valueName: "DIR")
        )
        var report: String?

        @Option(
            name: .long,
            help: ArgumentHelp("Show the sandbox of the run with this control socket.", valueName: "PATH")
        )
        var socket: String?

        @Option(
            name: .customLong("token-file"),
            help: ArgumentHelp("Write a token for scripts to this file, until the end.", valueName: "FILE")
        )
        var tokenFile: String?

        func validate() throws {
            guard port != 0 else { throw ValidationError("--port is a number from 1 to 65535.") }
            guard report == nil || socket == nil else {
                throw ValidationError("--report and --socket exclude each other.")
            }
        }

        func run() throws {
            let folder = try report.map { try openedReport($0) }
            let catalog = CatalogOptions.catalog()
            // Before the first thread: it starts programs.
            let user = Self.user
            let sockets = try sockets()
            let description = PaneDescription(
                version: Linkcond.version,
                place: folder != nil ? .report : socket != nil ? .sandbox : .host,
                user: user,
                restriction: folder == nil && socket == nil ? Self.restriction : nil,
                profiles: catalog.ownDirectory
            )
            let parts = try parts(description, port: sockets.port, catalog)
            let token = try tokenFile.map { try writtenToken($0) }
            defer { token?.remove() }
            let service = PaneService(sockets, report: folder, token: token)
            Console.text("the pane is at \(service.address); Ctrl-C ends it, and leaves the conditions as they are")
            if open, let problem = Browser.open(service.address) { Console.note(problem) }
            // After the browser's start, which would inherit that the signals are blocked.
            let signals = try SignalQueue([SIGINT, SIGTERM, SIGHUP])
            let running = try service.start(parts)
            Wait.untilReadable([signals.descriptor])
            running.stop()
        }

        private func parts(
            _ description: PaneDescription,
            port: UInt16,
            _ catalog: Catalog
        ) throws -> PaneParts {
            switch (description.place, socket) {
            case (.report, _): return .report(description)
            case (_, let socket?): return try .sandbox(description, socket: socket, catalog: catalog)
            default: return try .host(description, port: port, catalog: catalog) { $0.words() }
            }
        }

        private func sockets() throws -> PaneSockets {
            do {
                return try PaneSockets(port: port)
            } catch {
                let remedy = error.code == EADDRINUSE ? "linkcond pane, without --port" : nil
                throw Failure(.unavailable, "cannot serve the pane: \(error)", remedy: remedy)
            }
        }

        private func openedReport(_ path: String) throws -> ReportFolder {
            do {
                return try ReportFolder(path)
            } catch {
                guard [ENOENT, ENOTDIR].contains(error.code) else { throw error }
                let remedy = "linkcond run --report DIR ..., and then linkcond pane --report DIR"
                throw Failure(.notFound, "there is no report: \(error)", remedy: remedy)
            }
        }

        private func writtenToken(_ path: String) throws -> PaneToken {
            do {
                return try PaneToken(writingTo: path)
            } catch {
                guard error.code == EEXIST else { throw error }
                throw Failure(.usage, "\(path) exists, and has no token", remedy: "--token-file with another file")
            }
        }

        /// The name of the user of this process, or else its number.
        private static var user: String { (try? Account(named: "\(geteuid())").name) ?? "uid \(geteuid())" }

        /// The reason why this process may change nothing; nil if it may.
        private static var restriction: PaneDescription.Restriction? {
            guard (try? RouteConnection(RouteSocket()))?.mayChange != true else { return nil }
            return geteuid() == 0
                ? .init(reason: "changing needs CAP_NET_ADMIN", line: nil)
                : .init(reason: "changing needs root", line: "sudo linkcond pane")
        }
    }
}
