// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import Containers

/// Which engines and runtimes of a machine are asked.
@Suite struct ContainerSourcesTests {
    /// Makes a /run with a socket's name and a runtime's directory, and returns it.
    private func makeRun() throws -> String {
        var template = Array("/tmp/linkcond-run.XXXXXX".utf8CString)
        let path = String(cString: try #require(mkdtemp(&template)))
        for directory in ["runc", "containerd", "containerd/runc", "containerd/runc/k8s.io"] {
            try #require(mkdir("\(path)/\(directory)", 0o700) == 0)
        }
        close(open("\(path)/docker.sock", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600))
        return path
    }

    private func remove(_ path: String) {
        unlink("\(path)/docker.sock")
        for directory in ["containerd/runc/k8s.io", "containerd/runc", "containerd", "runc", "."] {
            rmdir(directory == "." ? path : "\(path)/\(directory)")
        }
    }

    @Test func areThoseThatAreThere() throws {
        let run = try makeRun()
        defer { remove(run) }
        let found = ContainerSources.present({ _ in nil }, run: run).map(\.description)
        let expected = [
            "docker at \(run)/docker.sock", "runc in \(run)/runc", "containerd in \(run)/containerd/runc/k8s.io",
        ]
        #expect(found == expected)
    }

    /// It could name any process, whose network would then be changed.
    @Test(.enabled(if: geteuid() == 0, "needs root")) func areNotAnotherUsersUnlessNamed() throws {
        let run = try makeRun()
        defer { remove(run) }
        for name in ["docker.sock", "runc", "containerd/runc/k8s.io"] {
            try #require(chown("\(run)/\(name)", 65_534, 65_534) == 0)
        }
        #expect(ContainerSources.present({ _ in nil }, run: run).isEmpty)
        #expect(ContainerSources.present({ $0 == "XDG_RUNTIME_DIR" ? run : nil }, run: "/none").isEmpty)
        let named = ContainerSources.present({ $0 == "DOCKER_HOST" ? "unix://\(run)/docker.sock" : nil }, run: run)
        #expect(named.map(\.description) == ["docker at \(run)/docker.sock"])
    }

    /// `su` and `sudo -E` keep the variable: what is root's there can still have been put there by the user.
    @Test(.enabled(if: geteuid() == 0, "needs root")) func areNotInAnotherUsersDirectory() throws {
        let run = try makeRun()
        defer { remove(run) }
        let find = {
            ContainerSources.present({ $0 == "XDG_RUNTIME_DIR" ? run : nil }, run: "/none").map(\.description)
        }
        #expect(find() == ["docker at \(run)/docker.sock", "runc in \(run)/runc"])
        try #require(chown(run, 65_534, 65_534) == 0)
        #expect(find().isEmpty)
        try #require(chown(run, 0, 0) == 0 && chmod(run, 0o777) == 0)
        #expect(find().isEmpty, "anyone can write there")
        try #require(chmod(run, 0o1777) == 0)
        #expect(find().count == 2, "with the sticky bit, only the owner can rename")
    }

    @Test func areNotBehindLinks() throws {
        let run = try makeRun()
        let link = "\(run).link"
        defer {
            remove(run)
            unlink(link)
        }
        try #require(symlink(run, link) == 0)
        #expect(ContainerSources.present({ _ in nil }, run: link).isEmpty)
    }
}
