// SPDX-License-Identifier: Apache-2.0

package import SandboxClient

/// A part of the API behind the page. Used on one thread, which may wait.
package protocol PaneResource: AnyObject {
    /// Answers a request; nil if it is for another resource. HEAD requests come as GET.
    func answer(_ request: PaneRequest) -> ControlAPI.Answer?
    /// The file that answers a request; nil if none does. Asked before `answer`.
    func file(_ request: PaneRequest) -> PaneFile?
}

extension PaneResource {
    package func file(_ request: PaneRequest) -> PaneFile? { nil }
}

/// An answer for the browser to save.
package struct PaneFile: Sendable {
    /// The name that the browser suggests: letters, digits, "-", "_" and "." only.
    package var name: String
    /// The media type: "application/x-tar".
    package var type: String
    package var content: [UInt8]

    package init(name: String, type: String, content: [UInt8]) {
        (self.name, self.type, self.content) = (name, type, content)
    }
}
