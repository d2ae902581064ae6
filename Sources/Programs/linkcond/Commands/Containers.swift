// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Containers
import Glibc
import LinkConditioning
import ProfileCatalog

extension Linkcond {
    struct Containers: ParsableCommand {
        static let configuration = CommandConfiguration(
            .containers,
            abstract: "List containers, or condition those whose labels ask for it.",
            discussion: """
                With --watch, a container that has the label linkcond.profile=NAME when it starts gets that profile, on \
                eth0 or its only interface, or on that of the label linkcond.interface. With linkcond.facing=peer, the profile \
                describes the link of those who talk to the container. It loses the profile when it ends, \
                and when this command does: by Ctrl-C or SIGTERM, or killed.

                Labels are those of Docker and Podman, and annotations of runc and crun.
                """,
            examples: "containers",
            "containers --watch"
        )

        @Flag(name: .long, help: "Follow the labels of containers until interrupted.")
        var watch = false

        @Flag(name: .long, help: "Print JSON; with --watch a line for each event.")
        var json = false

        @OptionGroup(title: "Rare") var catalogOptions: CatalogOptions

        func run() throws {
            let sources = ContainerSources.here()
            guard !sources.isEmpty else { throw ContainerError.noSource }
            guard watch else { return try show(ContainerList(sources)) }
            let catalog = catalogOptions.catalog
            CatalogOptions.note(catalog)
            let printer = ContainerEventPrinter(asJSON: json)
            var watch = try ContainerWatch(
                sources,
                request: { name throws(ContainerError) in try catalog.request(named: name) },
                tell: printer.show
            )
            if !json { Console.note("watching \(sources.map(\.description).joined(separator: ", ")); Ctrl-C ends it") }
            guard watch.run() else { Glibc.exit(Failure.Status.refusedByKernel.rawValue) }
        }

        private func show(_ list: ContainerList) throws {
            // If no container was found and a source failed, the failure is the result.
            if list.containers.isEmpty, let failure = list.failures.first { throw failure }
            Console.data(list.lines, or: .list(list.containers.map(\.json)), asJSON: json)
            for failure in list.failures { Console.failure("note: \(failure.message)") }
        }
    }
}

extension ContainerSources {
    /// The container engines that this process's environment and machine have.
    static func here() -> [any ContainerSource] {
        present { name in getenv(name).map { String(cString: $0) } }
    }
}

extension Catalog {
    /// Loads the profile `name` as a request for a rule. A path is refused: the watch may read files that the author of
    /// the label may not.
    fileprivate func request(named name: String) throws(ContainerError) -> RuleRequest {
        guard !name.isEmpty, !Self.isPath(name) else {
            throw ContainerError(
                .usage,
                "the label linkcond.profile is \"\(name)\", and not the name of a profile",
                remedy: "linkcond list"
            )
        }
        do {
            return try profile(name).request(seed: nil)
        } catch {
            let failure = Failure(error)
            throw ContainerError(.usage, failure.problem, remedy: failure.remedy)
        }
    }
}
