// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem
internal import SandboxClient

/// The control socket of a run, as processes outside of its sandbox reach it.
package enum ControlSocket {
    /// The path of the socket, by the supervisor's process ID. It is valid as long as the supervisor runs, for its user
    /// and root.
    package static func path(ofSupervisor process: Int32) -> String {
        "/proc/\(process)/root\(PrivateFiles.controlSocket)"
    }
}

/// Files that only the sandbox sees, in mounts that end with it.
struct PrivateFiles {
    /// The sandbox's directory: a mount on an empty directory, so that nothing has to be made or removed on the host.
    static let directory = InterfaceFiles.emptyDirectory
    /// The path of the control socket.
    static let controlSocket = "\(directory)/control"

    /// The directories of services that would resolve names outside the sandbox, bypassing its link: nss-resolve(8)
    /// and nscd(8) have unix sockets there.
    private static let resolvers = ["/run/systemd/resolve", "/run/nscd"]

    /// The file that is /etc/resolv.conf in the sandbox.
    private static let resolverFile = "\(directory)/resolv.conf"

    /// Mounts a temporary file system on `directory`.
    static func mountDirectory() throws(SandboxError) { try mountTemporary(on: directory) }

    /// Makes the file that tests lock, for root and `user`.
    static func makeTurn(user: uid_t) throws(SandboxError) {
        let path = "\(directory)/\(ControlClient.turn)"
        let descriptor = try checked(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600), "make \(path)")
        defer { close(descriptor) }
        if user != geteuid() {
            try checked(fchown(descriptor, user, gid_t.max), "give \(path) to the command's user")
        }
    }

    /// Hides the host's resolver services.
    static func hideResolvers() throws(SandboxError) {
        for path in resolvers where isDirectory(path) { try mountTemporary(on: path) }
    }

    /// Replaces the lines of /etc/resolv.conf in the sandbox; returns false if there is no such file.
    static func resolve(as lines: [String]) throws(SandboxError) -> Bool {
        let text = lines.joined(separator: "\n") + "\n"
        try write(text, to: resolverFile)
        // If the file is a link into a hidden directory, its target must be made again.
        guard let target = realpath("/etc/resolv.conf", nil) ?? remade(text) else { return false }
        defer { free(target) }
        try checked(
            mount(resolverFile, target, nil, UInt(MS_BIND), nil),
            "replace \(String(cString: target)) in the sandbox"
        )
        return true
    }

    /// Replaces the lines of the sandbox's /etc/resolv.conf.
    static func changeResolver(to lines: [String]) throws(SandboxError) {
        try write(lines.joined(separator: "\n") + "\n", to: resolverFile)
    }

    /// Restores the host's text if /etc/resolv.conf links into a hidden directory.
    static func keepResolver(_ lines: [String]) {
        if let target = realpath("/etc/resolv.conf", nil) ?? remade(lines.joined(separator: "\n") + "\n") {
            free(target)
        }
    }

    private static func remade(_ text: String) -> UnsafeMutablePointer<CChar>? {
        for name in ["stub-resolv.conf", "resolv.conf"] where isDirectory(resolvers[0]) {
            try? write(text, to: "\(resolvers[0])/\(name)")
        }
        return realpath("/etc/resolv.conf", nil)
    }

    /// Makes sysfs show the sandbox's interfaces instead of the host's. Optional: some containers forbid it.
    static func showInterfaces() {
        let staging = "\(directory)/sys"
        guard mkdir(staging, 0o755) == 0 else { return }
        defer { rmdir(staging) }
        InterfaceFiles.show(staging: staging)
    }

    private static func mountTemporary(on path: String) throws(SandboxError) {
        let flags = UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC)
        try checked(
            mount("linkcond", path, "tmpfs", flags, "mode=0755"),
            "mount a directory of the sandbox's own on \(path)"
        )
    }

    private static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func write(_ text: String, to path: String) throws(SandboxError) {
        let descriptor = try checked(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644), "make \(path)")
        defer { close(descriptor) }
        // Another user's command must be able to read it, whatever the umask.
        fchmod(descriptor, 0o644)
        try onSystem(ProcFile(path).write(text))
    }
}
