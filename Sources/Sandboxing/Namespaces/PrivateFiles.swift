// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinuxSystem

/// Files that only the sandbox sees, in mounts that end with it.
struct PrivateFiles {
    /// A directory of the sandbox's own. procfs keeps this one empty for a filesystem to be mounted on
    /// (fs/proc/root.c), so that nothing on the host has to be made, nor hidden, nor taken away.
    static let directory = "/proc/fs/nfsd"
    /// Where the control socket is.
    static let controlSocket = "\(directory)/control"

    /// Services of the host that would resolve names outside the sandbox, past its link: nss-resolve(8) and
    /// nscd(8) are asked over unix sockets in these.
    private static let resolvers = ["/run/systemd/resolve", "/run/nscd"]

    /// Mounts the directory.
    static func mountDirectory() throws(SandboxError) {
        try mountTemporary(on: directory, "mode=0755")
    }

    /// Hides the host's resolving services.
    static func hideResolvers() throws(SandboxError) {
        for path in resolvers where isDirectory(path) { try mountTemporary(on: path, "mode=0755") }
    }

    /// Has `nameServer` asked for names, with the host's search domains and options.
    ///
    /// - Returns: whether there is a file to put it in the place of.
    static func resolve(through nameServer: String, host lines: [String]) throws(SandboxError) -> Bool {
        let kept = lines.filter { !$0.hasPrefix("nameserver") && !$0.hasPrefix("#") }
        let text = (["nameserver \(nameServer)"] + kept).joined(separator: "\n") + "\n"
        let own = "\(directory)/resolv.conf"
        try write(text, to: own)
        // Where the file is a link into a directory that is hidden now, it has to be made there again.
        guard let target = realpath("/etc/resolv.conf", nil) ?? remade(text) else { return false }
        defer { free(target) }
        guard mount(own, target, nil, UInt(MS_BIND), nil) == 0 else {
            throw SandboxError("put the sandbox's resolver into \(String(cString: target))", code: errno)
        }
        return true
    }

    /// Puts the host's own text back where /etc/resolv.conf leads into a directory that is hidden now.
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

    /// Shows the sandbox's interfaces where sysfs shows the host's. A convenience: some containers forbid it.
    static func showInterfaces() {
        let staging = "\(directory)/sys"
        guard mkdir(staging, 0o755) == 0 else { return }
        defer { rmdir(staging) }
        guard mount("sysfs", staging, "sysfs", UInt(MS_RDONLY), nil) == 0 else { return }
        for path in ["class/net", "devices/virtual/net"] {
            mount("\(staging)/\(path)", "/sys/\(path)", nil, UInt(MS_BIND), nil)
        }
        umount2(staging, CInt(MNT_DETACH))
    }

    private static func mountTemporary(on path: String, _ options: String) throws(SandboxError) {
        let flags = UInt(MS_NOSUID | MS_NODEV | MS_NOEXEC)
        guard mount("linkcond", path, "tmpfs", flags, options) == 0 else {
            throw SandboxError("mount a directory of the sandbox's own on \(path)", code: errno)
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func write(_ text: String, to path: String) throws(SandboxError) {
        let descriptor = try checked(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644), "make \(path)")
        defer { close(descriptor) }
        // Whatever the user's umask, another user's command shall read it.
        fchmod(descriptor, 0o644)
        try onSystem { () throws(SystemError) in try ProcFile(path).write(text) }
    }
}
