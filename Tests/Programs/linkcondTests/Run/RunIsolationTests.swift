// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The command's environment: a private network, and no more privileges over it than before.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunIsolationTests {
    @Test(arguments: Caller.all)
    func showsLoopbackOnly(caller: Caller) throws {
        let line = "ls /sys/class/net; ip -o link | cut -d: -f2; sed -n 's/:.*//p' /proc/net/dev; cat /proc/net/route"
        let outcome = try Installation(for: caller).run("sh", "-c", line)
        #expect(outcome.status == 0)
        let names = outcome.lines.map { $0.filter { $0 != " " } }
        #expect(names.prefix(3) == ["lo", "lo", "lo"])
        #expect(names.count <= 4, "\(names)")
    }

    @Test(arguments: Caller.all)
    func hasAWorkingLoopback(caller: Caller) throws {
        let outcome = try Installation(for: caller).run(Script("loopback-works.py").command())
        #expect(outcome.output == "word True\nword True\n", "\(outcome)")
    }

    @Test(arguments: Caller.all)
    func doesNotDisturbOtherSandboxes(caller: Caller) throws {
        // The same port of the same address, twice on one machine.
        let server = Script("busy-port.py").command()
        let installation = try Installation(for: caller)
        let one = try RunningCommand(program: installation.wrapping(server))
        let other = try RunningCommand(program: installation.wrapping(server))
        #expect(try one.line() == "ready")
        #expect(try other.line() == "ready")
        try one.write("\n")
        try other.write("\n")
        #expect(try one.end() == .exited(0))
        #expect(try other.end() == .exited(0))
    }

    /// Where the kernel shares one table of sockets among networks, as before 6.1, its size is negative. What the
    /// kernel makes of a smaller table is as outside all the same.
    @Test(arguments: Caller.all)
    func hasATableOfSocketsOfItsOwn(caller: Caller) throws {
        let settings = ["tcp_max_tw_buckets", "tcp_max_syn_backlog"].map { "/proc/sys/net/ipv4/\($0)" }
        let outside = try settings.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined()
        let installation = try Installation(for: caller)
        #expect(try installation.run(["cat"] + settings).output == outside)
        let size = "/proc/sys/net/ipv4/tcp_ehash_entries"
        guard FileManager.default.fileExists(atPath: size) else { return }
        let inside = try installation.run("cat", size)
        #expect(inside.output == "4096\n", "\(inside)")
    }

    /// Without a mount at "/", whose propagation could be changed there; of the mounts outside, none is added.
    @Test(.enabled(if: Kernel.isRoot && Kernel.canPump, "needs root, to make a chroot, and /dev/net/tun"))
    func worksInAChrootThatIsNoMountPoint() throws {
        let files = try TemporaryDirectory()
        let root = files.path
        try Program.copy(to: "\(root)/linkcond")
        let line = """
            mkdir -p \(root)/proc \(root)/dev/net \(root)/tmp && mount -t proc proc \(root)/proc
            touch \(root)/dev/net/tun \(root)/dev/null && mount --bind /dev/net/tun \(root)/dev/net/tun
            mount --bind /dev/null \(root)/dev/null
            cat /proc/self/mounts >\(root)/before
            chroot \(root) /linkcond run --offline --delay 50ms -- /linkcond monitor --once --json icmp://127.0.0.1
            cat /proc/self/mounts | cmp - \(root)/before
            """
        let outcome = try Program.start(["unshare", "-m", "sh", "-c", line])
        #expect(outcome.status == 0 && outcome.output.contains(#""roundTripMs": 10"#), "\(outcome)")
    }

    /// glibc would ask them, and their answers would not come over the sandbox's link.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to mount"), arguments: ["/run/nscd", "/run/systemd/resolve"])
    func reachesNoResolverOfTheHost(directory: String) throws {
        let host = "mount -t tmpfs none /run && mkdir -p \(directory) && touch \(directory)/socket && exec \"$@\""
        let inner = try Installation(for: .tester).wrapping(["ls", "-A", directory])
        let outcome = try Program.start(["unshare", "-m", "sh", "-c", host, "sh"] + inner)
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
    }

    /// Containers mount the network's settings read-only; a privileged one remounts them for the sandbox alone.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to mount"))
    func bearsReadOnlySettings() throws {
        let container = "mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec \"$@\""
        func contained(_ caller: Caller, _ command: [String] = ["true"]) throws -> CommandResult {
            let inner = try Installation(for: caller).wrapping(command)
            return try Program.start(["unshare", "-m", "sh", "-c", container, "sh"] + inner)
        }
        #expect(try contained(.tester).status == 0)
        let line = """
            echo 1 >/proc/sys/net/ipv4/ip_forward; grep -c '^linkcond /proc/fs/nfsd ' /proc/mounts; \
            sysctl -n net.ipv4.ip_local_port_range
            """
        let outcome = try contained(.tester, ["sh", "-c", line])
        #expect(outcome.errors.contains("Read-only file system"), "\(outcome)")
        #expect(outcome.output == "1\n49152\t65535\n", "\(outcome)")
        let refused = try contained(.nobody)
        #expect(refused.status == 125)
        #expect(refused.errors.contains("/proc/sys is read-only here"))
        #expect(refused.errors.contains("--security-opt systempaths=unconfined"))
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func givesNoRights() throws {
        let installation = try Installation(for: .nobody)
        for line in [
            "echo 1 > /proc/sys/net/ipv4/ip_forward", "ip link set lo down", "ip addr add 10.9.9.9/8 dev lo",
            "umount /proc/fs/nfsd", "tc qdisc add dev lo root pfifo", "mount -t tmpfs none /mnt",
        ] {
            #expect(try installation.run("sh", "-c", "\(line) 2>/dev/null").status != 0, "\(line)")
        }
        let outcome = try installation.run("sh", "-c", "cat /proc/sys/net/ipv4/ip_forward; ip -o link show up")
        #expect(outcome.lines.count == 2)
    }

    @Test func isNoProgramWithRightsOfItsOwn() throws {
        #expect(try rights(of: Program.path) == "")
        // The search can find what it looks for.
        let files = try TemporaryDirectory()
        let copy = "\(files.path)/linkcond"
        try Program.copy(to: copy)
        for (change, rights) in [("chmod u+s", "set-user-ID\n"), ("chmod u-s,g+s", "set-group-ID\n")] {
            try Program.start(["sh", "-c", "\(change) \(copy)"]).requireSuccess()
            #expect(try self.rights(of: copy) == rights)
        }
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to give capabilities"))
    func wouldShowCapabilities() throws {
        let files = try TemporaryDirectory()
        let copy = "\(files.path)/linkcond"
        try Program.copy(to: copy)
        try Program.start(Script("rights.py").command(["give", copy])).requireSuccess()
        #expect(try rights(of: copy) == "capabilities\n")
    }

    /// Programs that run with more than the caller's privileges, one a line.
    private func rights(of path: String) throws -> String {
        let result = try Program.start(Script("rights.py").command(["show", path]))
        try result.requireSuccess()
        return result.output
    }

    @Test(arguments: Caller.all)
    func hidesItsSocketFromOthers(caller: Caller) throws {
        let outcome = try Installation(for: caller)
            .shell(#"\#(Installation.run) sh -c 'test -S "$LINKCOND_SOCKET" && echo "$LINKCOND_SOCKET"'"#)
        let path = try #require(outcome.lines.first)
        #expect(!FileManager.default.fileExists(atPath: String(path)))
    }

    @Test(arguments: Caller.all)
    func tellsItsState(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let text = try installation.shell(#"\#(Installation.run) "$LINKCOND" status"#)
        #expect(text.status == 0, "\(text)")
        #expect(text.output.contains("sandbox") || text.errors.contains("sandbox"), "\(text)")
        let outcome = try installation.shell(#"\#(Installation.run) "$LINKCOND" status --json"#)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.bytes)) as? [String: Any]
        #expect((object?["devices"] as? [Any])?.isEmpty == true)
        #expect(object?["sandbox"] is [String: Any], "\(outcome)")
    }

    @Test(.enabled(if: !Kernel.hasNetem, "needs a kernel without netem"), arguments: Caller.all)
    func cannotSwitchWithoutItsEngine(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let switching = [installation.path, "switch", "Slow Net"]
        let outcome = try Program.start(installation.wrapping(switching, options: ["--engine", "netem"]))
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.errors.contains("this kernel has no netem"))
    }

    @Test(arguments: Caller.all)
    func missesAProfileToSwitchTo(caller: Caller) throws {
        let outcome = try Installation(for: caller).shell(#"\#(Installation.run) "$LINKCOND" switch 'No Such'"#)
        #expect(outcome.status == 66, "\(outcome)")
        #expect(outcome.errors.contains("No Such"))
    }
}
