// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Warnings are errors in continuous integration only: a newer compiler's new ones must not stop those who build.
let isStrict = Context.environment["LINKCOND_STRICT"] != nil

// The repository's own build (scripts/testing/compile): one for the program, its tests and the programs of a library's user. It
// has flags with which a package cannot be a dependency, so others build without them.
let isOwnBuild = Context.environment["LINKCOND_BUILD"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (isStrict ? [.treatAllWarnings(as: .error)] : [])

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
        .systemLibrary(
            name: "CNetlink",
            pkgConfig: "libnl-route-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-route-3-dev"])]
        ),
        // TLS of the monitor's probes, and of what clients send where they log their keys. Of the program, only a target
        // or a capture that needs TLS initialises it.
        .systemLibrary(name: "COpenSSL", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        // The header compression of HTTP/2.
        .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(name: "CLinuxCalls"),
        // The compiler of packet filters.
        .target(name: "CPcap", linkerSettings: [.linkedLibrary("pcap")]),

        .target(name: "InternetAddresses"),
        .target(name: "LinkProfiles", dependencies: ["InternetAddresses"]),
        .target(name: "ProfileCatalog", dependencies: ["LinkProfiles"], plugins: ["EmbedProfiles"]),
        // Makes the source with the files of Profiles/ whenever one of them changes.
        .plugin(
            name: "EmbedProfiles",
            capability: .buildTool(),
            path: "Sources/EmbedProfiles",
            exclude: ["embed-profiles"]
        ),
        // The formats of other tools: a text in, a profile and remarks out, and back.
        .target(name: "ProfileFormats", dependencies: ["LinkProfiles"]),

        .target(name: "CapturedPackets", dependencies: ["InternetAddresses", "LinkProfiles"]),

        // What faults do to packets: packets in, decisions and packets out; pure, no clock.
        .target(
            name: "PacketFaults",
            dependencies: [
                "CapturedPackets", "InternetAddresses", "LinkEmulation", "LinkProfiles",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),

        .target(name: "LinuxSystem", dependencies: ["CLinuxCalls"]),

        // An event loop, connections on it, and a server of HTTP/1.1.
        .target(
            name: "SocketServing",
            dependencies: [
                "LinuxSystem", "CLinuxCalls",
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),

        .target(name: "LinkEmulation", dependencies: ["LinkProfiles"]),
        // What a link does, held to the model; and the packets that show it. Pure.
        .target(name: "LinkVerification", dependencies: ["LinkEmulation", "LinkProfiles"]),
        .target(name: "LinkProbes", dependencies: ["LinkVerification", "LinkProfiles", "CLinuxCalls", "COpenSSL"]),
        // What is asked of an engine, and the TAP devices between the two engines' worlds.
        .target(
            name: "LinkRules",
            dependencies: ["InternetAddresses", "LinkProfiles", "LinuxSystem", "Netlink", "CLinuxCalls"]
        ),
        // Serves a TAP device to be measured: scripts/bench/pump. Not a product.
        .executableTarget(
            name: "bench-pump",
            dependencies: ["PacketPump", "PacketCapture", "LinkProfiles", "LinkRules"]
        ),

        .target(name: "Netlink", dependencies: ["CNetlink", "InternetAddresses"]),
        .target(name: "PacketMirror", dependencies: ["LinkProfiles", "LinuxSystem", "Netlink", "CLinuxCalls"]),
        .target(
            name: "TrafficControl",
            dependencies: ["LinkProfiles", "LinkEmulation", "LinkRules", "LinuxSystem", "Netlink", "CLinuxCalls"]
        ),
        .target(
            name: "PacketPump",
            dependencies: [
                "CapturedPackets", "LinkEmulation", "LinkProfiles", "LinkRules", "LinuxSystem", "Netlink",
                "PacketFaults", "CLinuxCalls",
            ]
        ),
        .target(
            name: "PacketCapture",
            dependencies: [
                "CapturedPackets", "InternetAddresses", "LinkProfiles", "LinuxSystem", "Netlink", "PacketPump",
                "TrafficControl", "CLinuxCalls", "CPcap",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        // What a client did, from the packets that a link carried: pure, no Linux.
        .target(name: "ClientObservation", dependencies: ["CapturedPackets", "InternetAddresses", "LinkProfiles"]),
        // What a client said in TLS and in HTTP/2: what needs a library, which a test bundle does not link.
        .target(
            name: "DecryptedStreams",
            dependencies: [
                "CapturedPackets", "ClientObservation", "COpenSSL", "CNghttp2",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        .target(name: "Reports", dependencies: ["ClientObservation", "LinkProfiles"]),
        // Profiles of real links: from recorded packets to figures, and how well they fit.
        .target(
            name: "ProfileFitting",
            dependencies: [
                "CapturedPackets", "InternetAddresses", "LinkEmulation", "LinkProfiles", "ProfileFormats", "Reports",
            ]
        ),
        // What is tried to make a client fail, and how that is made smaller: pure.
        .target(name: "Exploration", dependencies: ["InternetAddresses", "LinkEmulation", "LinkProfiles"]),
        .target(
            name: "LinkConditioning",
            dependencies: [
                "LinkProfiles", "LinkRules", "LinuxSystem", "Netlink", "TrafficControl", "PacketPump", "CLinuxCalls",
            ]
        ),
        .target(name: "LocalNetwork", dependencies: ["Netlink", "LinuxSystem", "CLinuxCalls"]),
        .target(
            name: "Probing",
            dependencies: [
                "CapturedPackets", "InternetAddresses", "LinuxSystem", "CLinuxCalls", "COpenSSL",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        .target(
            name: "Reachability",
            dependencies: [
                "LocalNetwork", "Probing", "Netlink", "LinuxSystem", "CLinuxCalls",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
            ]
        ),
        // Measures the probes: scripts/bench/probes. Not a product.
        .executableTarget(name: "bench-probes", dependencies: ["Reachability", "Netlink"]),
        // Whose network a container's is, as its engine or its runtime tells.
        .target(name: "Containers", dependencies: ["LinkProfiles", "LinkRules", "LinuxSystem"]),
        // Conditions containers as their labels ask for.
        .target(
            name: "ContainerConditioning",
            dependencies: [
                "Containers", "LinkProfiles", "LinkRules", "LinuxSystem", "Netlink", "PacketPump", "LinkConditioning",
                "CLinuxCalls",
            ]
        ),
        // What processes inside of a sandbox ask its supervisor.
        .target(
            name: "SandboxClient",
            dependencies: ["ClientObservation", "InternetAddresses", "LinkProfiles", "LinuxSystem", "CLinuxCalls"]
        ),
        // The far end of a sandbox's uplink: the kernel's TCP in a network of its own, and sockets in the caller's.
        .target(
            name: "Gateway",
            dependencies: [
                "CLinuxCalls", "CapturedPackets", "InternetAddresses", "LinuxSystem", "Netlink", "PacketPump",
                "SocketServing",
            ]
        ),
        .target(
            name: "Sandboxing",
            dependencies: [
                "LinkProfiles", "LinuxSystem", "Netlink", "PacketPump", "ProfileCatalog", "LinkConditioning",
                "TrafficControl", "CLinuxCalls", "InternetAddresses", "CapturedPackets", "ClientObservation",
                "SandboxClient", "SocketServing", "Gateway",
                .product(name: "DequeModule", package: "swift-collections"),
            ]
        ),
        // For the tests of a client: conditions and expectations of a test, inside of `linkcond run`.
        .target(
            name: "LinkConditionerTesting",
            dependencies: ["SandboxClient", "ClientObservation", "LinkProfiles", "ProfileCatalog", "LinuxSystem"]
        ),
        // Observed runs, repeated runs, searches for limits: values in, values out.
        .target(
            name: "Trials",
            dependencies: [
                "Sandboxing", "SandboxClient", "PacketCapture", "PacketPump", "CapturedPackets", "ClientObservation",
                "DecryptedStreams", "Exploration", "Reports", "LinkConditioning", "LinkProfiles", "LinuxSystem",
                "CLinuxCalls", "InternetAddresses",
            ]
        ),
        .executableTarget(
            name: "linkcond",
            dependencies: [
                "CLinuxCalls", "LinkProfiles", "LinkEmulation", "ProfileCatalog", "ProfileFitting", "ProfileFormats",
                "LinkConditioning", "LinuxSystem", "Netlink", "TrafficControl", "Sandboxing", "SandboxClient",
                "SocketServing", "Reachability", "InternetAddresses", "CapturedPackets", "Containers",
                "ContainerConditioning", "PacketCapture", "PacketMirror", "ClientObservation", "DecryptedStreams",
                "Exploration", "Reports", "Trials", "LinkProbes", "LinkVerification",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),

        .testTarget(
            name: "ReachabilityTests",
            dependencies: [
                "LocalNetwork", "Probing", "Reachability", "LinuxSystem", "Netlink", "CLinuxCalls", "COpenSSL",
                "TestKit",
            ],
            exclude: ["Scripts"]
        ),
        .testTarget(
            name: "CapturedPacketsTests",
            dependencies: ["CapturedPackets", "InternetAddresses", "LinkProfiles", "TestKit"]
        ),
        .testTarget(
            name: "ClientObservationTests",
            dependencies: [
                "ClientObservation", "CapturedPackets", "DecryptedStreams", "InternetAddresses", "LinkEmulation",
                "LinkProfiles", "PacketCapture", "PacketPump", "COpenSSL", "CNghttp2", "TestKit",
            ]
        ),
        .testTarget(
            name: "LinkConditionerTestingTests",
            dependencies: ["LinkConditionerTesting", "ClientObservation", "LinkProfiles", "LinuxSystem", "TestKit"]
        ),
        .testTarget(
            name: "ReportsTests",
            dependencies: ["Reports", "ClientObservation", "InternetAddresses", "LinkProfiles", "TestKit"]
        ),
        .testTarget(name: "PacketMirrorTests", dependencies: ["PacketMirror"]),
        .testTarget(
            name: "PacketCaptureTests",
            dependencies: ["PacketCapture", "PacketPump", "CapturedPackets", "LinkProfiles", "LinuxSystem", "TestKit"]
        ),
        .testTarget(
            name: "ContainersTests",
            dependencies: ["Containers", "LinkProfiles", "LinkRules", "LinuxSystem", "SocketServing", "TestKit"]
        ),
        .testTarget(name: "LinkProfilesTests", dependencies: ["InternetAddresses", "LinkProfiles", "TestKit"]),
        // What several suites use: processes, private networks, statistics.
        .target(name: "TestKit", dependencies: ["CLinuxCalls"], path: "Tests/TestKit"),
        // Sends and receives for the conformance suite, on a link that linkcond conditions. Not a product.
        .executableTarget(
            name: "link-probe",
            dependencies: ["LinkProbes", "LinkVerification", "LinkProfiles"],
            path: "Tests/link-probe"
        ),
        .testTarget(
            name: "LinkProbesTests",
            dependencies: ["LinkProbes", "LinkProfiles", "LinkVerification", "TestKit"]
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "linkcond", "link-probe", "LinkEmulation", "LinkProbes", "LinkProfiles", "LinkVerification",
                "ProfileCatalog", "TestKit",
            ]
        ),
        .testTarget(
            name: "LinkEmulationTests",
            dependencies: ["LinkEmulation", "LinkProfiles", "LinkVerification", "TestKit"],
            exclude: ["Scripts"]
        ),
        .testTarget(
            name: "PacketPumpTests",
            dependencies: [
                "PacketPump", "CapturedPackets", "LinkEmulation", "LinkProfiles", "LinkRules", "CLinuxCalls", "TestKit",
            ]
        ),
        .testTarget(
            name: "PacketFaultsTests",
            dependencies: ["PacketFaults", "InternetAddresses", "LinkProfiles", "TestKit"]
        ),
        .testTarget(
            name: "ExplorationTests",
            dependencies: ["ClientObservation", "Exploration", "LinkProfiles", "Reports", "Trials", "TestKit"]
        ),
        .testTarget(name: "ProfileCatalogTests", dependencies: ["ProfileCatalog", "LinkProfiles"]),
        .testTarget(
            name: "ProfileFormatsTests",
            dependencies: ["ProfileFormats", "ProfileCatalog", "LinkProfiles", "TestKit"]
        ),
        .testTarget(
            name: "ProfileFittingTests",
            dependencies: [
                "ProfileFitting", "ProfileFormats", "CapturedPackets", "LinkEmulation", "LinkProfiles",
                "LinkVerification", "TestKit",
            ]
        ),
        .testTarget(
            name: "NetlinkTests",
            dependencies: ["Netlink", "CNetlink", "CLinuxCalls", "TestKit"],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "LinkConditioningTests",
            dependencies: [
                "LinkConditioning", "LinkEmulation", "LinkProfiles", "LinkRules", "LinuxSystem", "Netlink",
                "PacketPump", "TrafficControl", "CLinuxCalls", "TestKit",
            ]
        ),
        .testTarget(
            name: "SocketServingTests",
            dependencies: ["SocketServing", "LinuxSystem", "CLinuxCalls", "TestKit"]
        ),
        .testTarget(
            name: "GatewayTests",
            dependencies: ["CapturedPackets", "Gateway", "InternetAddresses", "PacketPump"]
        ),
        .testTarget(
            name: "SandboxingTests",
            dependencies: [
                "Sandboxing", "SandboxClient", "ClientObservation", "LinkConditioning", "LinkProfiles", "LinuxSystem",
                "ProfileCatalog", "PacketPump", "Netlink", "SocketServing", "CLinuxCalls", "TestKit",
            ]
        ),
        .testTarget(
            name: "linkcondTests",
            dependencies: [
                "linkcond", "CapturedPackets", "ClientObservation", "InternetAddresses", "LinkConditioning",
                "LinkProfiles", "LinuxSystem", "Reachability", "Reports", "Trials", "TestKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            exclude: ["Scripts"]
        ),
        // Compiles the documentation's code, and compares its pages with the package.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "linkcond", "LinkConditionerTesting", "LinkConditioning", "LinkProfiles", "Reachability", "TestKit",
            ]
        ),
        .testTarget(
            name: "LabTests",
            dependencies: [
                "linkcond", "CLinuxCalls", "LinkProfiles", "ProfileCatalog", "LinkConditioning", "Netlink",
                "TrafficControl", "CapturedPackets", "LinkVerification", "TestKit",
            ],
            exclude: ["Scripts"]
        ),
    ]
)

// The programs of a library's user, with the modules that are compiled for the program: what they see of the package is what
// others see. scripts/testing/library-user checks that another package can depend on this one.
if isOwnBuild {
    for (name, library) in [("condition", "LinkConditioning"), ("watch", "Reachability")] {
        package.targets.append(
            .executableTarget(
                name: "library-user-\(name)",
                dependencies: [.byName(name: library)],
                path: "Tests/LibraryUser/Sources/\(name)",
                packageAccess: false
            )
        )
    }
}

// Parsers under libFuzzer: scripts/check/fuzz builds them, and nothing else. libFuzzer has a main function of its own,
// which no other program can be linked with.
if Context.environment["LINKCOND_FUZZ"] != nil {
    package.products = []
    package.targets.removeAll { $0.type == .test || $0.type == .executable }
    package.targets.append(
        .executableTarget(
            name: "fuzz-parsers",
            dependencies: [
                "CapturedPackets", "ClientObservation", "DecryptedStreams", "Gateway", "InternetAddresses",
                "LinkConditioning",
                "LinkProfiles", "LinuxSystem", "PacketFaults", "PacketPump", "Probing", "ProfileFitting",
                "ProfileFormats", "SocketServing",
            ],
            path: "Tests/fuzz-parsers"
        )
    )
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

// Modules that make words: the compiler makes no copies of others' generic functions for them, and puts no function into
// another, which halves its time for each. So compiled, what a start waits for takes 1.1 times as long, and judging twice
// as long. -disable-sil-perf-optzns, which leaves out all such passes, makes wrong code of Judge.resumption (Swift 6.3.1).
let plainlyOptimized: Set = [
    "ContainerConditioning", "Containers", "LinkConditionerTesting", "LinkProbes", "ProfileFormats", "Reports",
    "Trials", "linkcond",
]

// Tests are compiled without optimization, which takes a third of the time, but for one that computes.
func ownBuildFlags(_ target: Target) -> [String] {
    if target.type == .test { return target.name == "ExplorationTests" ? [] : ["-Onone"] }
    let left = plainlyOptimized.contains(target.name) ? ["generic-specializer", "inline"] : []
    return ["-enable-testing"] + left.flatMap { ["-Xllvm", "-sil-disable-pass=\($0)"] }
}

for target in package.targets where ![.system, .plugin].contains(target.type) {
    target.swiftSettings = settings + (isOwnBuild ? [.unsafeFlags(ownBuildFlags(target))] : [])
}
