// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Compares the drawing of the modules, and the page of each, with the package's manifest.
@Suite struct ArchitectureTests {
    private let manifest: Manifest
    /// The lines of the drawing, from top to bottom: a folder of Sources, and modules in it.
    private let floors: [(folder: String, modules: [String])]

    init() throws {
        manifest = try Manifest.ofThisPackage.get()
        let drawing = Document.all.filter { $0.name == "architecture" }.flatMap(\.blocks)
            .first { $0.mark?.kind == "drawing" && $0.mark?.name == "modules" }
        var folder = ""
        floors = try #require(drawing).text.split(separator: "\n").filter { !$0.hasPrefix("|-") }.map { line in
            let columns = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
            folder = columns.first?.first ?? folder
            return (folder, columns.dropFirst().first ?? [])
        }
    }

    @Test func readsTheManifest() throws {
        let names = manifest.sources.map(\.name)
        #expect(names.count >= 15)
        #expect(names.contains("LinkConditioning"))
        #expect(!names.contains("TestKit"))
        #expect(manifest.targets.contains { $0.type == "test" && $0.name == "DocumentationTests" })
        let service = try #require(manifest.targets.first { $0.name == "LinkConditioning" })
        #expect(service.folder == "Conditioning" && service.dependencies.contains("TrafficControl"))
        #expect(try service.imports().isSuperset(of: ["TrafficControl", "Glibc"]))
    }

    @Test func drawsEachTargetOnceInItsFolder() {
        let drawn = floors.flatMap { floor in floor.modules.map { "\(floor.folder)/\($0)" } }
        #expect(drawn.sorted() == manifest.sources.map { "\($0.folder)/\($0.name)" }.sorted())
    }

    @Test func drawsEachTargetAboveThoseItUses() {
        let floor = Dictionary(
            floors.enumerated().flatMap { number, floor in floor.modules.map { ($0, number) } },
            uniquingKeysWith: min
        )
        for target in manifest.sources {
            for used in target.dependencies {
                guard let own = floor[target.name], let other = floor[used] else { continue }
                #expect(own < other, "\(target.name) uses \(used), which is not on a floor below it")
            }
        }
    }

    /// What a target declares for nothing is built for nothing; what it imports and does not declare is there by chance.
    @Test func declaresWhatIsImported() throws {
        let modules = Set(manifest.targets.map(\.name))
        let products: Set = ["ArgumentParser", "DequeModule", "HeapModule"]
        for target in manifest.targets where !["system", "plugin"].contains(target.type) {
            let imported = try target.imports().intersection(modules.union(products))
            // Tests run programs without an import.
            let programs = manifest.targets.filter { $0.type == "executable" }.map(\.name)
            let run = target.type == "test" ? Set(programs) : []
            let declared = Set(target.dependencies)
            let (undeclared, unused) = (imported.subtracting(declared), declared.subtracting(imported).subtracting(run))
            // A target of C includes headers instead.
            let isC = try Files.below(target.path, suffix: ".swift").isEmpty
            #expect(undeclared.isEmpty, "\(target.name) imports \(undeclared.sorted()), and does not declare it")
            #expect(
                isC || unused.subtracting(["EmbedProfiles", "EmbedPage"]).isEmpty,
                "\(target.name) does not import \(unused.sorted())"
            )
        }
    }

    /// The other folders whose modules a folder's may use.
    private static let usable: [String: Set<String>] = [
        "Links": [], "Packets": ["Links"], "Linux": ["Links"], "Conditioning": ["Links", "Packets", "Linux"],
        "Clients": ["Links", "Packets", "Linux"], "Measuring": ["Links", "Packets", "Linux"],
        "Sandbox": ["Links", "Packets", "Linux", "Conditioning", "Clients", "Measuring"],
        "Pane": ["Links", "Packets", "Linux", "Conditioning", "Clients", "Measuring", "Sandbox"],
        "Programs": ["Links", "Packets", "Linux", "Conditioning", "Clients", "Measuring", "Sandbox", "Pane"],
    ]

    @Test func keepsFoldersApart() throws {
        let folders = Dictionary(uniqueKeysWithValues: manifest.sources.map { ($0.name, $0.folder) })
        #expect(Set(folders.values) == Set(Self.usable.keys))
        for target in manifest.sources {
            let used = Set(target.dependencies.compactMap { folders[$0] }).subtracting([target.folder])
            let usable = try #require(Self.usable[target.folder])
            #expect(
                used.isSubset(of: usable),
                "\(target.folder)/\(target.name) uses \(used.subtracting(usable).sorted())"
            )
        }
        // Of the modules of Links, Linux knows addresses; of those of Linux, Clients know libraries of C.
        for target in manifest.sources where target.folder == "Linux" {
            #expect(
                target.dependencies.allSatisfy { folders[$0] != "Links" || $0 == "InternetAddresses" },
                "\(target.name)"
            )
        }
        for target in manifest.sources where target.folder == "Clients" {
            let libraries: Set = ["COpenSSL", "CNghttp2"]
            #expect(
                target.dependencies.allSatisfy { folders[$0] != "Linux" || libraries.contains($0) },
                "\(target.name)"
            )
        }
    }

    @Test func keepsLibrariesOfCApart() {
        func users(of name: String) -> Set<String> {
            Set(manifest.sources.filter { $0.dependencies.contains(name) }.map(\.name))
        }
        #expect(users(of: "CNetlink") == ["Netlink"])
        #expect(users(of: "COpenSSL") == ["DecryptedStreams", "LinkProbes", "Probing", "Reports"])
        #expect(users(of: "CNghttp2") == ["DecryptedStreams"] && users(of: "CPcap") == ["PacketCapture"])
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
    private var modules: [Manifest.Target] {
        get throws {
            try manifest.sources
                .filter { $0.type == "regular" || $0.name == "linkcond" }
                .filter { try !Files.below($0.path, suffix: ".swift").isEmpty }
        }
    }

    private func page(of module: String) throws -> Document {
        let name = module == "linkcond" ? "linkcond-program" : module
        let page = Document.all.first { $0.path.hasSuffix("/linkcond.docc/modules/\(name).md") }
        return try #require(page, "\(module) has no page")
    }

    /// A line for each, that begins with "- `Folder`".
    @Test func listsTheFoldersOfEachModule() throws {
        for target in try modules {
            let listed = try page(of: target.name).text.matches(of: /(?m)^- `(\w+)`/).map { String($0.1) }
            let depth = target.path.split(separator: "/").count
            let folders = try Files.below(target.path, suffix: ".swift").map { $0.split(separator: "/") }
                .filter { $0.count > depth + 1 }.map { String($0[depth]) }
            #expect(listed.sorted() == Set(folders).sorted(), "\(target.name)")
        }
    }

    @Test func describesEachModuleWithItsEntryPoint() throws {
        for target in try modules {
            let module = target.name
            let page = try page(of: module)
            let entries = page.text.matches(of: /(?m)^Entry point: `(\w+)[^`]*`\.$/).map { String($0.1) }
            let entry = try #require(entries.count == 1 ? entries.first : nil, "\(module) has not one entry point")
            let declaration = try Regex(
                #"(?m)^(public |package )?(final )?(struct|class|enum|protocol|func) "# + entry + #"\b"#
            )
            let declarations = try Files.below(target.path, suffix: ".swift")
                .filter { try Files.text($0).contains(declaration) }
            #expect(declarations.count == 1, "\(module) declares \(entry) in \(declarations)")
        }
    }
}
