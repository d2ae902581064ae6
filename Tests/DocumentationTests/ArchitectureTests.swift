// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Compares the drawing of the modules, and the page of each, with the package's manifest.
@Suite struct ArchitectureTests {
    private let manifest: Manifest
    /// The names in each line of the drawing, from top to bottom.
    private let floors: [[String]]

    init() throws {
        manifest = try Manifest(Files.text("Package.swift"))
        let drawing = Document.all.filter { $0.name == "architecture" }.flatMap(\.blocks)
            .first { $0.mark?.kind == "drawing" && $0.mark?.name == "modules" }
        floors = try #require(drawing).text.split(separator: "\n")
            .map { line in
                line.split(separator: "|").first?.split(separator: " ").map(String.init) ?? []
            }
            .filter { names in !names.allSatisfy { $0.allSatisfy { $0 == "-" } } }
    }

    @Test func readsTheManifest() {
        let names = manifest.sources.map(\.name)
        #expect(names.count >= 15)
        #expect(names.contains("LinkConditioning"))
        #expect(!names.contains("TestKit"))
        #expect(manifest.targets.contains { $0.kind == "testTarget" && $0.name == "DocumentationTests" })
        let service = manifest.targets.first { $0.name == "LinkConditioning" }
        #expect(service?.dependencies.contains("TrafficControl") == true)
    }

    @Test func drawsEachTargetOnce() {
        #expect(floors.flatMap { $0 }.sorted() == manifest.sources.map(\.name).sorted())
    }

    @Test func drawsEachTargetBelowThoseItUses() {
        let floor = Dictionary(
            floors.enumerated().flatMap { number, names in names.map { ($0, number) } },
            uniquingKeysWith: min
        )
        for target in manifest.sources {
            for used in target.dependencies {
                let (own, other) = (floor[target.name] ?? -1, floor[used] ?? .max)
                #expect(other < own, "\(target.name) uses \(used), which is not on a floor above it")
            }
        }
    }

    @Test func keepsCLibrariesAndPureModulesApart() {
        func users(of name: String) -> [String] {
            manifest.sources.filter { $0.dependencies.contains(name) }.map(\.name)
        }
        #expect(users(of: "CNetlink") == ["Netlink"])
        #expect(Set(users(of: "COpenSSL")) == ["DecryptedStreams", "LinkProbes", "Probing"])
        #expect(users(of: "CNghttp2") == ["DecryptedStreams"] && users(of: "CPcap") == ["PacketCapture"])
        for name in [
            "LinkProfiles", "ProfileCatalog", "ProfileFormats", "LinkEmulation", "InternetAddresses", "CapturedPackets",
        ] {
            let target = manifest.sources.first { $0.name == name }
            let used = target.map { Set($0.dependencies) }
            #expect(used?.isSubset(of: ["LinkProfiles", "InternetAddresses"]) == true, "\(name)")
        }
    }

    /// The targets that `product` needs, itself among them.
    private func needs(of product: String) -> Set<String> {
        var needed: Set<String> = []
        var rest = [product]
        while let name = rest.popLast() {
            guard needed.insert(name).inserted else { continue }
            rest += manifest.sources.first { $0.name == name }?.dependencies ?? []
        }
        return needed
    }

    @Test(arguments: ["LinkProfiles", "LinkConditioning", "Reachability"])
    func needsNoLibrariesOfCapturesInALibrary(product: String) {
        #expect(needs(of: product).isDisjoint(with: ["CPcap", "CNghttp2"]))
    }

    @Test func needsNoSystemLibraryAndNoSupervisorInATestBundle() {
        let needed = needs(of: "LinkConditionerTesting")
        let others = ["CNetlink", "Netlink", "COpenSSL", "CNghttp2", "PacketPump", "Sandboxing", "SocketServing"]
        #expect(needed.isDisjoint(with: others))
    }

    /// The modules that programs are made of: Swift targets besides the benchmarks.
    private var modules: [String] {
        get throws {
            try manifest.sources
                .filter { $0.kind == "target" || $0.name == "linkcond" }
                .filter { try !Files.below($0.path, suffix: ".swift").isEmpty }
                .map(\.name)
        }
    }

    @Test func describesEachModuleWithItsEntryPoint() throws {
        let pages = Document.all.filter { $0.path.contains("/linkcond.docc/modules/") }
        for module in try modules {
            let page = try #require(
                pages.first { $0.name == (module == "linkcond" ? "linkcond-program" : module) },
                "\(module) has no page"
            )
            let entries = page.text.matches(of: /(?m)^Entry point: `(\w+)[^`]*`\.$/).map { String($0.1) }
            let entry = try #require(entries.count == 1 ? entries.first : nil, "\(module) has not one entry point")
            let declaration = try Regex(
                #"(?m)^(public |package )?(final )?(struct|class|enum|protocol|func) "# + entry + #"\b"#
            )
            let declarations = try Files.below("Sources/\(module)", suffix: ".swift")
                .filter { try Files.text($0).contains(declaration) }
            #expect(declarations.count == 1, "\(module) declares \(entry) in \(declarations)")
        }
    }
}
