// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates a source file that embeds the files of the page, whenever one of them changes.
@main struct EmbedPage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let module = context.package.directoryURL.appending(path: "Sources/Pane/PanePage")
        let files = try FileManager.default
            .contentsOfDirectory(at: module.appending(path: "Files"), includingPropertiesForKeys: nil)
            .filter { !$0.lastPathComponent.hasPrefix(".") }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        let source = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
        let tool = module.appending(path: "EmbedPage/embed-page")
        return [
            .buildCommand(
                displayName: "Embedding the page",
                executable: tool,
                arguments: ([source] + files).map { $0.path(percentEncoded: false) },
                inputFiles: [tool] + files,
                outputFiles: [source]
            )
        ]
    }
}
