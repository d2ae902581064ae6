// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Puts the files of `Profiles/` into the program at each build in which one of them has changed.
@main
struct EmbedProfilesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        let directory = context.package.directoryURL.appending(path: "Profiles")
        let profiles = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" && !$0.lastPathComponent.hasSuffix(".schema.json") }
            .sorted { $0.path < $1.path }
        let output = context.pluginWorkDirectoryURL.appending(path: "BuiltInProfiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(profiles.count) profiles",
                executable: try context.tool(named: "embed-profiles").url,
                arguments: [output.path] + profiles.map(\.path),
                inputFiles: profiles,
                outputFiles: [output]
            )
        ]
    }
}
