// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Warnings are errors in continuous integration only: a newer compiler's new ones must not stop those who build.
let isStrict = Context.environment["LINKCOND_STRICT"] != nil

/// The repository's own build (scripts/testing/compile): one for the program, its tests and the programs of a library's
/// user. It has flags with which a package cannot be a dependency, so others build without them.
let isOwnBuild = Context.environment["LINKCOND_BUILD"] != nil

/// How the own build compiles a module.
enum Optimization {
    case full
    /// For modules that make words: the compiler makes no copies of others' generic functions for them, and puts no
    /// function into another, which halves its time for each. So compiled, what a start waits for takes 1.1 times as
    /// long, and judging twice as long. For its size, too, they are a tenth smaller. -disable-sil-perf-optzns, which leaves out all such passes, makes wrong code of
    /// Judge.resumption (Swift 6.3.1).
    case plain
    /// For modules that wait for the kernel or for other processes: a sixth fewer bytes, and starts that are no slower.
    case size
    /// For tests: it takes a third of the compiler's time.
    case none

    var flags: [String] {
        switch self {
        case .full: []
        case .plain: ["-Osize"] + ["generic-specializer", "inline"].flatMap { ["-Xllvm", "-sil-disable-pass=\($0)"] }
        case .size: ["-Osize"]
        case .none: ["-Onone"]
        }
    }
}

/// The imports of a module, and how it is compiled. Most are written as the list of their imports.
struct Module: ExpressibleByArrayLiteral {
    var uses: [Target.Dependency]
    /// nil: none in tests, else full.
    var optimization: Optimization?
    var isProgram: Bool
    /// The plugin in the module's folder that makes one of its sources.
    var plugin: String?
    /// The folder of files in the module's folder of which the plugin makes the source, if they are there.
    var embedded: String?

    init(arrayLiteral uses: Target.Dependency...) { self.init(uses) }

    init(
        _ uses: [Target.Dependency],
        optimization: Optimization? = nil,
        isProgram: Bool = false,
        plugin: String? = nil,
        embedded: String? = nil
    ) {
        (self.uses, self.optimization, self.isProgram) = (uses, optimization, isProgram)
        (self.plugin, self.embedded) = (plugin, embedded)
    }

    /// Its code makes words.
    static func words(_ uses: [Target.Dependency]) -> Module { Module(uses, optimization: .plain) }

    /// Its code waits more than it computes.
    static func small(_ uses: [Target.Dependency]) -> Module { Module(uses, optimization: .size) }

    static func program(_ uses: [Target.Dependency], optimization: Optimization? = nil) -> Module {
        Module(uses, optimization: optimization, isProgram: true)
    }
}

/// A target with the settings that all have. Tests are those whose name ends so.
func target(_ name: String, path: String, _ module: Module) -> Target {
    let isTest = name.hasSuffix("Tests")
    let flags = (module.optimization ?? (isTest ? .none : .full)).flags + (isTest ? [] : ["-enable-testing"])
    let settings: [SwiftSetting] =
        [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
        ] + (isStrict ? [.treatAllWarnings(as: .error)] : []) + (isOwnBuild ? [.unsafeFlags(flags)] : [])
    if isTest { return .testTarget(name: name, dependencies: module.uses, path: path, swiftSettings: settings) }
    if module.isProgram {
        return .executableTarget(name: name, dependencies: module.uses, path: path, swiftSettings: settings)
    }
    return .target(
        name: name,
        dependencies: module.uses,
        path: path,
        exclude: [module.plugin, module.embedded].compactMap(\.self),
        swiftSettings: settings,
        plugins: module.plugin.map { [.plugin(name: $0)] }
    )
}

let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")

/// Libraries of C, and what Swift cannot import from their headers.
let libraries: [Target] = [
    .systemLibrary(
        name: "CNetlink",
        path: "Sources/Linux/CNetlink",
        pkgConfig: "libnl-route-3.0",
        providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]
    ),
    // TLS of the monitor's probes, and of what clients send where they log their keys.
    .systemLibrary(
        name: "COpenSSL",
        path: "Sources/Linux/COpenSSL",
        pkgConfig: "libssl",
        providers: [.apt(["libssl-dev"])]
    ),
    // The header compression of HTTP/2.
    .systemLibrary(
        name: "CNghttp2",
        path: "Sources/Linux/CNghttp2",
        pkgConfig: "libnghttp2",
        providers: [.apt(["libnghttp2-dev"])]
    ),
    // The compiler of packet filters.
    .target(name: "CPcap", path: "Sources/Linux/CPcap", linkerSettings: [.linkedLibrary("pcap")]),
]

/// The modules in the folders of Sources, each in a folder of its name.
let sources: KeyValuePairs<String, KeyValuePairs<String, Module>> = [
    // What a link is, as values: no Linux, no packets.
    "Links": [
        "InternetAddresses": [],
        "Statistics": [],
        "LinkProfiles": ["InternetAddresses"],
        // Its plugin makes the source with the files of Profiles/ whenever one of them changes.
        "ProfileCatalog": .init(["LinkProfiles"], plugin: "EmbedProfiles"),
        "ProfileFormats": .words(["LinkProfiles"]),
        "LinkEmulation": ["LinkProfiles", deque],
        "Exploration": ["InternetAddresses", "LinkProfiles", "LinkEmulation"],
    ],
    // What a packet is, as values.
    "Packets": [
        "CapturedPackets": ["InternetAddresses", "LinkProfiles", deque, heap],
        "PacketFaults": ["InternetAddresses", "LinkProfiles", "LinkEmulation", "CapturedPackets", heap],
        "ProfileFitting": [
            "InternetAddresses", "Statistics", "LinkProfiles", "ProfileFormats", "LinkEmulation", "CapturedPackets",
        ],
    ],
    // The kernel and C libraries, typed; knows no link.
    "Linux": [
        "CLinuxCalls": [],
        "LinuxSystem": ["InternetAddresses", "CLinuxCalls"],
        "SocketServing": ["CLinuxCalls", "LinuxSystem", heap],
        "Netlink": ["InternetAddresses", "CNetlink"],
        "LocalNetwork": ["CLinuxCalls", "LinuxSystem", "Netlink"],
    ],
    // Rules on interfaces: two engines, one service, and what they record.
    "Conditioning": [
        "LinkRules": ["InternetAddresses", "LinkProfiles", "CLinuxCalls", "LinuxSystem", "Netlink"],
        "TrafficControl": ["LinkProfiles", "LinkEmulation", "CLinuxCalls", "LinuxSystem", "Netlink", "LinkRules"],
        "PacketPump": [
            "InternetAddresses", "LinkProfiles", "LinkEmulation", "CapturedPackets", "PacketFaults", "CLinuxCalls",
            "LinuxSystem", "Netlink", "LinkRules",
        ],
        "PacketCapture": [
            "InternetAddresses", "LinkProfiles", "CapturedPackets", "CLinuxCalls", "CPcap", "LinuxSystem", "Netlink",
            "TrafficControl", "PacketPump", deque,
        ],
        "PacketMirror": ["LinkProfiles", "CLinuxCalls", "LinuxSystem", "Netlink"],
        "LinkConditioning": .small([
            "InternetAddresses", "LinkProfiles", "CLinuxCalls", "LinuxSystem", "Netlink", "LinkRules", "TrafficControl",
            "PacketPump",
        ]),
        "Containers": .words(["LinkProfiles", "LinuxSystem", "Netlink", "LinkRules", "PacketPump", "LinkConditioning"]),
    ],
    // From packets to what a client did, to a verdict, to a page.
    "Clients": [
        "ClientTraffic": ["InternetAddresses", "Statistics", "LinkProfiles", "CapturedPackets"],
        "ClientVerdicts": ["InternetAddresses", "LinkProfiles", "CapturedPackets", "ClientTraffic"],
        "DecryptedStreams": ["CapturedPackets", "COpenSSL", "CNghttp2", "ClientTraffic", deque],
        "Reports": .words(["Statistics", "LinkProfiles", "COpenSSL", "ClientTraffic", "ClientVerdicts", heap]),
    ],
    // One command in a network of its own, once or many times.
    "Sandbox": [
        "Gateway": [
            "InternetAddresses", "CapturedPackets", "CLinuxCalls", "LinuxSystem", "SocketServing", "Netlink",
            "PacketPump",
        ],
        "SandboxClient": ["LinkProfiles", "LinuxSystem", "ClientTraffic", "ClientVerdicts"],
        "Sandboxing": .small([
            "InternetAddresses", "LinkProfiles", "ProfileCatalog", "CLinuxCalls", "LinuxSystem", "SocketServing",
            "Netlink", "LinkRules", "TrafficControl", "PacketPump", "LinkConditioning", "ClientTraffic",
            "ClientVerdicts", "Gateway", "SandboxClient", deque,
        ]),
        "Trials": .words([
            "LinkProfiles", "ProfileCatalog", "Exploration", "CapturedPackets", "CLinuxCalls",
            "LinuxSystem", "PacketPump", "PacketCapture", "LinkConditioning", "ClientTraffic", "ClientVerdicts",
            "DecryptedStreams", "Reports", "SandboxClient", "Sandboxing",
        ]),
        "LinkMeasuring": .words([
            "InternetAddresses", "LinkProfiles", "ProfileCatalog", "CLinuxCalls", "LinuxSystem", "LinkConditioning",
            "ClientTraffic", "ClientVerdicts", "SandboxClient", "Sandboxing", "Probing", "LinkVerification",
            "LinkProbes",
        ]),
        "LinkConditionerTesting": .words([
            "LinkProfiles", "ProfileCatalog", "LinuxSystem", "ClientTraffic", "ClientVerdicts", "SandboxClient",
        ]),
    ],
    // Asks the real network, and judges a link by the model.
    "Measuring": [
        "Probing": ["InternetAddresses", "CapturedPackets", "CLinuxCalls", "COpenSSL", "LinuxSystem", deque, heap],
        "Reachability": [
            "Statistics", "CLinuxCalls", "LinuxSystem", "Netlink", "LocalNetwork", "Probing", deque, heap,
        ],
        "LinkVerification": ["InternetAddresses", "Statistics", "LinkProfiles", "LinkEmulation", "CapturedPackets"],
        "LinkProbes": .words(["LinkProfiles", "CLinuxCalls", "COpenSSL", "LinkVerification"]),
    ],
    // A page of the browser: what is on, to see and to switch.
    "Pane": [
        // Its plugin makes the source with the page's files.
        "PanePage": .init([], plugin: "EmbedPage", embedded: "Files"),
        "LinkPane": .words([
            "InternetAddresses", "Statistics", "LinkProfiles", "ProfileCatalog", "ProfileFormats", "LinkEmulation",
            "CLinuxCalls", "LinuxSystem", "SocketServing", "Netlink", "LinkRules", "TrafficControl", "PacketPump",
            "LinkConditioning", "Containers", "Reports", "SandboxClient", "Sandboxing", "Reachability",
            "LinkVerification", "PanePage",
        ]),
    ],
    // Words in, words out.
    "Programs": [
        "linkcond": .program(
            [
                "InternetAddresses", "Statistics", "LinkProfiles", "ProfileCatalog", "ProfileFormats", "LinkEmulation",
                "Exploration", "CapturedPackets", "ProfileFitting", "CLinuxCalls", "LinuxSystem", "SocketServing",
                "Netlink", "TrafficControl", "PacketPump", "PacketCapture", "PacketMirror", "LinkConditioning",
                "Containers", "ClientTraffic", "ClientVerdicts", "DecryptedStreams", "Reports", "SandboxClient",
                "Sandboxing", "Trials", "LinkMeasuring", "Reachability", "LinkVerification", "LinkProbes", "LinkPane",
                argumentParser,
            ],
            optimization: .plain
        ),
        "bench-pump": .program(["LinkProfiles", "LinkRules", "PacketPump", "PacketCapture"]),
        "bench-probes": .program(["Netlink", "Reachability"]),
    ],
]

/// The modules in the folders of Tests. Those that run a program use it, too.
let tests: KeyValuePairs<String, KeyValuePairs<String, Module>> = [
    "Support": [
        // Processes, private networks, statistics.
        "TestKit": ["CLinuxCalls"],
        // An interface without a kernel, which carries out plans, and profiles for it.
        "ConditioningTestSupport": ["LinkProfiles", "LinuxSystem", "Netlink", "TrafficControl"],
    ],
    "Links": [
        "StatisticsTests": ["Statistics", "TestKit"],
        "LinkProfilesTests": ["InternetAddresses", "LinkProfiles", "TestKit"],
        "ProfileCatalogTests": ["LinkProfiles", "ProfileCatalog"],
        "ProfileFormatsTests": ["LinkProfiles", "ProfileCatalog", "ProfileFormats", "TestKit"],
        "LinkEmulationTests": ["Statistics", "LinkProfiles", "LinkEmulation", "TestKit"],
        "ExplorationTests": .init(
            ["LinkProfiles", "Exploration", "ClientTraffic", "ClientVerdicts", "Reports", "Trials", "TestKit"],
            optimization: .full
        ),
    ],
    "Packets": [
        "CapturedPacketsTests": ["InternetAddresses", "LinkProfiles", "CapturedPackets", "TestKit"],
        "PacketFaultsTests": ["InternetAddresses", "LinkProfiles", "CapturedPackets", "PacketFaults", "TestKit"],
        "ProfileFittingTests": [
            "Statistics", "LinkProfiles", "ProfileFormats", "LinkEmulation", "CapturedPackets", "ProfileFitting",
            "TestKit",
        ],
    ],
    "Linux": [
        "NetlinkTests": ["CNetlink", "Netlink", "TestKit"],
        "SocketServingTests": ["CLinuxCalls", "LinuxSystem", "SocketServing", "TestKit"],
    ],
    "Conditioning": [
        "PacketPumpTests": [
            "InternetAddresses", "LinkProfiles", "LinkEmulation", "CapturedPackets", "CLinuxCalls", "LinuxSystem",
            "Netlink", "LinkRules", "PacketPump", "TestKit",
        ],
        "PacketCaptureTests": [
            "LinkProfiles", "CapturedPackets", "LinuxSystem", "PacketPump", "PacketCapture", "TestKit",
        ],
        "PacketMirrorTests": ["LinkProfiles", "PacketMirror"],
        "TrafficControlTests": [
            "LinkProfiles", "LinkEmulation", "CLinuxCalls", "LinuxSystem", "Netlink", "LinkRules", "TrafficControl",
            "PacketPump", "TestKit", "ConditioningTestSupport",
        ],
        "LinkConditioningTests": [
            "LinkProfiles", "LinuxSystem", "Netlink", "LinkRules", "TrafficControl", "PacketPump", "LinkConditioning",
            "TestKit", "ConditioningTestSupport",
        ],
        "ContainersTests": ["LinkProfiles", "LinuxSystem", "SocketServing", "LinkRules", "Containers", "TestKit"],
    ],
    "Clients": [
        // Packets and captures that are written by hand.
        "TestPackets": ["LinkProfiles", "CapturedPackets", "CNghttp2", "ClientTraffic", "DecryptedStreams"],
        "ClientTrafficTests": [
            "InternetAddresses", "LinkProfiles", "CapturedPackets", "COpenSSL", "ClientTraffic", "DecryptedStreams",
            "TestKit", "TestPackets",
        ],
        "ClientVerdictsTests": [
            "InternetAddresses", "LinkProfiles", "LinkEmulation", "CapturedPackets", "PacketPump", "PacketCapture",
            "ClientTraffic", "ClientVerdicts", "TestKit", "TestPackets",
        ],
        "ReportsTests": ["InternetAddresses", "LinkProfiles", "ClientTraffic", "ClientVerdicts", "Reports", "TestKit"],
    ],
    "Sandbox": [
        "GatewayTests": ["InternetAddresses", "CapturedPackets", "PacketPump", "Gateway"],
        "SandboxingTests": [
            "InternetAddresses", "LinkProfiles", "ProfileCatalog", "CLinuxCalls", "LinuxSystem", "SocketServing",
            "Netlink", "PacketPump", "LinkConditioning", "ClientTraffic", "ClientVerdicts", "Gateway", "SandboxClient",
            "Sandboxing", "TestKit",
        ],
        "TrialsTests": ["LinkProfiles", "ClientVerdicts", "Reports", "Trials", "TestKit"],
        "LinkConditionerTestingTests": ["LinkProfiles", "LinuxSystem", "LinkConditionerTesting", "TestKit"],
    ],
    "Measuring": [
        "LinkProbesTests": ["LinkProfiles", "LinkVerification", "LinkProbes", "TestKit"],
        "ReachabilityTests": [
            "CLinuxCalls", "COpenSSL", "LinuxSystem", "Netlink", "LocalNetwork", "Probing", "Reachability", "TestKit",
        ],
    ],
    "Pane": [
        "LinkPaneTests": [
            "InternetAddresses", "LinkProfiles", "ProfileCatalog", "ProfileFormats", "CLinuxCalls", "LinuxSystem",
            "SocketServing", "PacketPump", "LinkConditioning", "SandboxClient", "Reachability", "PanePage",
            "LinkPane", "TestKit",
        ]
    ],
    "Programs": [
        "linkcondTests": [
            "InternetAddresses", "LinkProfiles", "ProfileCatalog", "ProfileFormats", "LinkEmulation", "CapturedPackets",
            "LinuxSystem", "PacketPump", "LinkConditioning", "ClientTraffic", "ClientVerdicts", "Reports", "Sandboxing",
            "Trials", "Reachability", "LinkPane", "linkcond", "TestKit", argumentParser,
        ],
        "DocumentationTests": [
            "LinkProfiles", "LinkConditioning", "LinkConditionerTesting", "Reachability", "linkcond", "TestKit",
        ],
    ],
    // With netem, in a kernel of their own; the program sends and receives on their links.
    "Lab": [
        "link-probe": .program(["LinkProfiles", "LinkVerification", "LinkProbes"]),
        "ConformanceTests": [
            "Statistics", "LinkProfiles", "ProfileCatalog", "LinkEmulation", "LinkVerification", "linkcond", "TestKit",
            "link-probe",
        ],
        "LabTests": [
            "Statistics", "LinkProfiles", "ProfileCatalog", "CapturedPackets", "CLinuxCalls", "LinuxSystem", "Netlink",
            "TrafficControl", "LinkConditioning", "LinkPane", "linkcond", "TestKit",
        ],
    ],
]

let package = Package(
    name: "linkcond",
    products: [
        .executable(name: "linkcond", targets: ["linkcond"]),
        .library(name: "LinkProfiles", targets: ["LinkProfiles"]),
        .library(name: "LinkConditionerTesting", targets: ["LinkConditionerTesting"]),
        .library(name: "LinkConditioning", targets: ["LinkConditioning"]),
        .library(name: "Reachability", targets: ["Reachability"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    ],
    targets: [
        .plugin(
            name: "EmbedProfiles",
            capability: .buildTool(),
            path: "Sources/Links/ProfileCatalog/EmbedProfiles",
            exclude: ["embed-profiles"]
        ),
        .plugin(
            name: "EmbedPage",
            capability: .buildTool(),
            path: "Sources/Pane/PanePage/EmbedPage",
            exclude: ["embed-page"]
        ),
    ]
)
package.targets += libraries
for (root, folders) in [("Sources", sources), ("Tests", tests)] {
    for (folder, modules) in folders {
        package.targets += modules.map { target($0, path: "\(root)/\(folder)/\($0)", $1) }
    }
}

// The programs of a library's user, with the modules that are compiled for the program: what they see of the package is what
// others see. scripts/testing/library-user checks that another package can depend on this one.
if isOwnBuild {
    for (name, library) in [("condition", "LinkConditioning"), ("watch", "Reachability")] {
        package.targets.append(
            .executableTarget(
                name: "library-user-\(name)",
                dependencies: [.byName(name: library)],
                path: "Tests/LibraryUser/Sources/\(name)",
                packageAccess: false,
                swiftSettings: target("", path: "", []).swiftSettings
            )
        )
    }
}

// Parsers under libFuzzer: scripts/check/fuzz builds them, and nothing else. libFuzzer has a main function of its own,
// which no other program can be linked with.
if Context.environment["LINKCOND_FUZZ"] != nil {
    package.products = []
    package.targets.removeAll { $0.type == .test || $0.type == .executable }
    let parsers: Module = .program([
        "CapturedPackets", "ClientTraffic", "ClientVerdicts", "DecryptedStreams", "Gateway", "InternetAddresses",
        "LinkConditioning",
        "LinkEmulation", "LinkProfiles", "LinuxSystem", "PacketFaults", "PacketPump", "Probing", "ProfileFitting",
        "ProfileFormats",
        "SocketServing",
    ])
    package.targets.append(target("fuzz-parsers", path: "Tests/fuzz-parsers", parsers))
}

// Only these test targets, separated by spaces, and what they need: scripts/test FILTER.
if let names = Context.environment["LINKCOND_TESTS"], !names.isEmpty {
    var needed: Set<String> = []
    var found = names.split(separator: " ").map(String.init)
    while let name = found.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name })
        else { continue }
        for case .byNameItem(let used, _) in target.dependencies { found.append(used) }
        for case .plugin(let used, _) in target.plugins ?? [] { found.append(used) }
    }
    package.products = []
    package.targets.removeAll { !needed.contains($0.name) }
}
