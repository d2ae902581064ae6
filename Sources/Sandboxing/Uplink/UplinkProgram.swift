// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkConditioning
internal import LinuxSystem

/// A program that carries a sandbox's traffic to the host's network in user space, with the user's privileges only.
package struct UplinkProgram: Sendable {
    enum Kind: Hashable {
        case slirp4netns
        /// Versions of 2023 drop refused connections silently.
        case pasta(isOld: Bool)
    }

    let kind: Kind
    let path: String

    /// The interface in the sandbox.
    package static let interface = "uplink0"

    /// The best program for this user; nil if none is installed. Processes that this one forks afterwards know it, too,
    /// although they may not be able to start a program.
    ///
    /// A recent pasta is the fastest, slirp4netns the most faithful of the others. pasta drops root's privileges and
    /// then cannot enter a network of root.
    package static let found: UplinkProgram? = {
        let slirp = Executable.path(of: "slirp4netns").map { UplinkProgram(kind: .slirp4netns, path: $0) }
        guard geteuid() != 0, let path = Executable.path(of: "pasta") else { return slirp }
        // Debian 12's version is "unknown version", so the check uses a later option.
        let isOld = !SystemQuery.lines([path, "--help"], withErrors: true).contains {
            $0.contains("--map-host-loopback")
        }
        return isOld && slirp != nil ? slirp : UplinkProgram(kind: .pasta(isOld: isOld), path: path)
    }()

    var name: String {
        switch kind {
        case .slirp4netns: "slirp4netns"
        case .pasta: "pasta"
        }
    }

    /// Whether it ends when its exit descriptor is closed.
    var endsByItself: Bool { kind == .slirp4netns }

    /// A limitation of this program, for the user.
    package var caveat: String? {
        guard kind == .pasta(isOld: true) else { return nil }
        return "this version of pasta drops refused connections silently; slirp4netns does not "
            + "(apt install slirp4netns)"
    }

    /// What helps if there is none.
    package static let remedy = Remedy(.stayOffline, "sudo apt install slirp4netns")

    /// The address in the sandbox at which the program forwards queries to the host's resolver.
    var nameServer: String {
        switch kind {
        case .slirp4netns: "10.0.2.3"  // its default network's
        case .pasta: "169.254.1.1"  // any address that would leave through it
        }
    }

    /// The options by which the program gives up privileges, files and system calls before it parses packets: since
    /// slirp4netns 0.4.0. pasta always does.
    ///
    /// - Parameter mayMount: whether the program may make a mount namespace. Without, it would enter the sandbox's user
    ///   namespace and become root there, who is not mapped; it then has the user's own privileges only.
    func confinement(mayMount: Bool) -> [String] {
        guard kind == .slirp4netns else { return [] }
        return (mayMount && Self.canConfineItself ? ["--enable-sandbox"] : []) + ["--enable-seccomp"]
    }

    /// Whether root starts a program whose own sandbox would fail, or keep the command from pinging.
    var needsNamespaces: Bool {
        let needed: Confinement.Capabilities = [.namespaces, .rawSockets]
        return kind == .slirp4netns && lc_has_capabilities(needed.rawValue) != 0 && !Self.canConfineItself
    }

    private static var canConfineItself: Bool { canChangeRoot && canPingWithoutPrivileges }

    /// Whether this user's group may send echo requests from an ordinary socket, icmp(7): without CAP_NET_RAW the
    /// sandbox could not ping otherwise. systemd allows it to all, the kernel to none.
    static var canPingWithoutPrivileges: Bool {
        let range = ProcFile("/proc/sys/net/ipv4/ping_group_range").firstLine ?? ""
        let ends = range.split { $0 == " " || $0 == "\t" }.compactMap { gid_t($0) }
        return ends.count == 2 && ends[0] <= getegid() && getegid() <= ends[1]
    }

    /// Whether pivot_root(2) works: not if the root is the kernel's initial file system.
    private static var canChangeRoot: Bool {
        let roots = ProcFile("/proc/self/mounts").lines.map { $0.split(separator: " ") }.filter {
            $0.dropFirst().first == "/"
        }
        return roots.last?.dropFirst(2).first != "rootfs"
    }

    /// Program and arguments for the network namespace of `process`.
    ///
    /// - Parameter configures: whether the program gives its device an address and routes.
    func arguments(
        process: pid_t,
        ready: CInt,
        exit: CInt,
        hasIPv6: Bool,
        configures: Bool = true,
        confinement: [String] = []
    ) -> [String] {
        switch kind {
        case .slirp4netns:
            [
                path, "--mtu=\(NetworkSettings.mtu)", "--disable-host-loopback", "--ready-fd=\(ready)",
                "--exit-fd=\(exit)",
            ] + (configures ? ["--configure"] : []) + (hasIPv6 ? ["--enable-ipv6"] : []) + confinement
                + [String(process), Self.interface]
        case .pasta:
            [
                path, "--foreground", "--quiet", "--config-net", "--no-map-gw", "-m", String(NetworkSettings.mtu),
                "-t", "none", "-u", "none", "-T", "none", "-U", "none", "--ns-ifname", Self.interface,
                "--dns-forward", nameServer, String(process),
            ]
        }
    }
}
