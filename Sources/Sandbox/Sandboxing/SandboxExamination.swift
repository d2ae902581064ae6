// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
package import LinkConditioning
internal import LinuxSystem
internal import Netlink
internal import PacketPump

/// Tests what `run` can do on this machine for this user.
package enum SandboxExamination {
    /// The subject of the check that an uplink needs.
    package static let tunnelSubject = TapDevice.controlPath

    /// Runs every check in a child process; changes nothing.
    package static func run() -> [Examination.Finding] {
        [sandbox()] + [pings(), tunnel(), browsers()].compactMap { $0 }
    }

    private static func sandbox() -> Examination.Finding {
        let failure = trial()
        return Examination.Finding(
            subject: "sandbox",
            isFine: failure == nil,
            detail: failure?.message ?? "run can make a private network",
            remedy: failure?.remedy
        )
    }

    /// Checks whether echo requests pass the uplink; nil for root, who needs no permission for them.
    private static func pings() -> Examination.Finding? {
        guard geteuid() != 0 else { return nil }
        let isFine = canPingWithoutPrivileges
        return Examination.Finding(
            subject: "pings",
            isFine: isFine,
            detail: isFine
                ? "pass a sandbox's uplink"
                : "fail over a sandbox's uplink: net.ipv4.ping_group_range leaves your group out",
            remedy: isFine ? nil : "sudo sysctl net.ipv4.ping_group_range='0 2147483647'"
        )
    }

    /// Whether this user's group may send echo requests from an ordinary socket: icmp(7). systemd allows it to all, the
    /// kernel to none.
    private static var canPingWithoutPrivileges: Bool {
        let range = ProcFile("/proc/sys/net/ipv4/ping_group_range").firstLine ?? ""
        let ends = range.split { $0 == " " || $0 == "\t" }.compactMap { gid_t($0) }
        return ends.count == 2 && ends[0] <= getegid() && getegid() <= ends[1]
    }

    private static func tunnel() -> Examination.Finding {
        let problem = TapDevice.accessProblem
        return Examination.Finding(
            subject: tunnelSubject,
            isFine: problem == nil,
            detail: problem.map { "\($0): run needs --offline" } ?? "carries a sandbox's uplink",
            remedy: problem.map { _ in Remedy(.advice, TapDevice.remedy) }
        )
    }

    /// Whether Chromium's own sandbox works for the user of `run --user`; nil for ordinary users, whose sandboxes need
    /// the same right.
    private static func browsers() -> Examination.Finding? {
        guard geteuid() == 0 else { return nil }
        let child = try? Fork.child {
            guard Confinement.become(Confinement.unusedID(of: getpid())) else { _exit(2) }
            // AppArmor can allow a user namespace without any capability in it.
            _exit(lc_unshare(CInt(lc_user_namespace | lc_network_namespace)) == 0 ? 0 : 1)
        }
        let status = child.map { ChildStatus.wait(for: $0) }
        guard status == .exited(0) || status == .exited(1) else { return nil }
        let isFine = status == .exited(0)
        return Examination.Finding(
            subject: "browsers",
            isFine: isFine,
            detail: isFine
                ? "Chromium's own sandbox works under run --user"
                : "users cannot make namespaces: Chromium does not start under run --user without --no-sandbox",
            remedy: isFine
                ? nil
                : NamespaceSet.permission
                    ?? "docker run --security-opt seccomp=unconfined, or chromium --no-sandbox"
        )
    }

    /// The reason why no sandbox can be made; nil if one can.
    private static func trial() -> SandboxError? {
        do {
            let (mine, theirs) = try MessageSocket.pair()
            defer { mine.close() }
            let settings = NetworkSettings.ofHost()
            let child = try onSystem(
                Fork.child {
                    do throws(SandboxError) {
                        _ = try RunningSandbox.moveIn(settings)
                        _ = try RunningSandbox.makeFiles(user: geteuid())
                        theirs.send(.ready)
                    } catch {
                        theirs.send(.failed(error))
                    }
                    _exit(0)
                }
            )
            theirs.close()
            let answer = mine.receive()
            _ = ChildStatus.wait(for: child)
            switch answer {
            case .ready: return nil
            case .failed(let error): return error
            default: return SandboxError("the test process was killed")
            }
        } catch {
            return error
        }
    }
}
