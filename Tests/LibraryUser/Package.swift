// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

// A package outside the repository that uses its libraries: scripts/testing/library-user copies it to another folder and
// names the repository in LINKCOND_PACKAGE. The repository's own build compiles the same sources.

import PackageDescription

let repository = Context.environment["LINKCOND_PACKAGE"] ?? "../.."

let package = Package(
    name: "library-user",
    dependencies: [.package(name: "linkcond", path: repository)],
    targets: [
        .executableTarget(
            name: "condition",
            dependencies: [.product(name: "LinkConditioning", package: "linkcond")]
        ),
        .executableTarget(
            name: "watch",
            dependencies: [.product(name: "Reachability", package: "linkcond")]
        ),
    ]
)
