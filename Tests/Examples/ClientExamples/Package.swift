// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// Clients as they are found in applications, to be judged by linkcond: scripts/check/examples builds and runs them. A
// package of its own, so that linkcond's build needs no HTTP client.

import PackageDescription

let package = Package(
    name: "client-examples",
    dependencies: [
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(name: "linkcond", path: "../../.."),
    ],
    targets: [
        .executableTarget(
            name: "search-client",
            dependencies: [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "banner-client",
            dependencies: [.product(name: "Reachability", package: "linkcond")]
        ),
    ]
)
