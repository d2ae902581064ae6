// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinuxSystem

/// The files of a report, which another program may have written: regular files below its directory, reached without
/// any symbolic link.
package final class ReportFolder: Sendable {
    private static let page = "report.html"
    private static let types = [
        "html": "text/html; charset=utf-8", "json": "application/json", "jsonl": "text/plain; charset=utf-8",
        "xml": "text/xml; charset=utf-8", "md": "text/plain; charset=utf-8", "log": "text/plain; charset=utf-8",
        "txt": "text/plain; charset=utf-8", "svg": "image/svg+xml", "png": "image/png",
    ]

    private let descriptor: CInt

    /// Opens the directory that the user named; its path may have symbolic links.
    ///
    /// - Throws: ENOENT if the directory or its page does not exist.
    package init(_ path: String) throws(SystemError) {
        descriptor = try checked(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open \(path)")
        guard let page = file(Self.page) else {
            throw SystemError(operation: "open \(path)/\(Self.page)", code: ENOENT)
        }
        close(page)
    }

    deinit { close(descriptor) }

    /// Opens a file by its path below the directory; nil if there is no such regular file, or a link leads there. The
    /// caller closes the result.
    func file(_ path: String) -> CInt? {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        guard names.allSatisfy({ !["", ".", ".."].contains($0) && !$0.utf8.contains(0) }) else { return nil }
        var folder = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        for (index, name) in names.enumerated() {
            // Without blocking, as on a FIFO. Each step is relative to a directory that is open, so replacing one of
            // them by a link leads nowhere else.
            let kind = index < names.count - 1 ? O_DIRECTORY : 0
            let next = openat(folder, String(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | kind)
            close(folder)
            guard next >= 0 else { return nil }
            folder = next
        }
        var facts = stat()
        guard fstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(folder)
            return nil
        }
        return folder
    }

    /// The path of the file that a request means: the report's page for the directory itself.
    static func path(of request: Substring) -> String { request.isEmpty ? page : String(request) }

    /// The fields of the answer with a file: what a browser does not show, it saves.
    static func fields(of path: String) -> [(String, String)] {
        let end = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) }
        let type = end.flatMap { types[$0] }
        let saving = type == nil ? [("Content-Disposition", "attachment")] : []
        return PaneFields.report + [("Content-Type", type ?? "application/octet-stream")] + saving
    }
}
