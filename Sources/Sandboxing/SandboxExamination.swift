// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// The capabilities of `run` on this machine for this user, by test.
public enum SandboxExamination {
    /// Runs every check in a child process; changes nothing.
    public static func run() -> [Examination.Finding] {
        [sandbox(), uplink(), tunnel(), userspace()]
    }

    /// Whether this process may make TAP devices.
    public static var canUseUserspace: Bool { access(Uplink.tunDevice, R_OK | W_OK) == 0 }

    private static func userspace() -> Examination.Finding {
        Examination.Finding(
            subject: "engine userspace",
            isFine: canUseUserspace,
            detail: canUseUserspace
                ? "carries conditions where netem cannot" : "needs \(Uplink.tunDevice)",
            remedy: canUseUserspace ? nil : tunRemedy
        )
    }

    private static let tunRemedy = "sudo modprobe tun && sudo chmod 0666 \(Uplink.tunDevice)"

    private static func sandbox() -> Examination.Finding {
        let failure = trial()
        return Examination.Finding(
            subject: "sandbox",
            isFine: failure == nil,
            detail: failure?.message ?? "run can make a private network",
            remedy: failure?.remedy
        )
    }

    private static func uplink() -> Examination.Finding {
        guard let program = UplinkProgram.find() else {
            return Examination.Finding(
                subject: "uplink",
                isFine: false,
                detail: "no program for a sandbox's uplink: run needs --offline",
                remedy: "sudo apt install slirp4netns"
            )
        }
        let caveat = program.caveat.map { "; \($0)" } ?? ""
        return Examination.Finding(subject: "uplink", isFine: true, detail: "\(program.path)\(caveat)", remedy: nil)
    }

    private static func tunnel() -> Examination.Finding {
        let isFine = access(Uplink.tunDevice, R_OK | W_OK) == 0
        let reason = isFine ? "" : String(cString: strerror(errno))
        return Examination.Finding(
            subject: Uplink.tunDevice,
            isFine: isFine,
            detail: isFine ? "carries a sandbox's uplink" : "\(reason): run needs --offline",
            remedy: reason.isEmpty ? nil : tunRemedy
        )
    }

    /// Why no sandbox can be made; nil if one can.
    private static func trial() -> SandboxError? {
        do {
            let (mine, theirs) = try MessageSocket.pair()
            defer { mine.close() }
            let settings = NetworkSettings.ofHost()
            let child = try onSystem { () throws(SystemError) in
                try Fork.child {
                    do throws(SandboxError) {
                        _ = try Sandbox.moveIn(settings)
                        _ = try Sandbox.makeFiles(user: geteuid())
                        theirs.send(.ready)
                    } catch {
                        theirs.send(.failed(error))
                    }
                    _exit(0)
                }
            }
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
