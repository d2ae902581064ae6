// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates a source file that embeds the files of `Profiles/`, `Profiles/Scenarios/` and `Profiles/Populations/`,
/// whenever one of them changes.
///
/// The generator is a script: a program would have to be compiled and linked before everything else.
@main struct EmbedProfiles: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let directory = context.package.directoryURL.appending(path: "Profiles")
        let folders = ["Scenarios", "Populations"].map { directory.appending(path: $0) }
        let files = try ([directory] + folders).flatMap { directory in
            try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasSuffix(".schema.json") }
                .sorted { $0.lastPathComponent < $1.lastPathComponent }
        }
        let source = context.pluginWorkDirectoryURL.appending(path: "BuiltInProfiles.swift")
        let module = context.package.directoryURL.appending(path: "Sources/Links/ProfileCatalog")
        let tool = module.appending(path: "EmbedProfiles/embed-profiles")
        return [
            .buildCommand(
                displayName: "Embedding the profiles",
                executable: tool,
                arguments: ([source] + files).map { $0.path(percentEncoded: false) },
                inputFiles: [tool] + files,
                outputFiles: [source]
            )
        ]
    }
}
