// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LinkConditioning
internal import LinuxSystem
internal import Netlink

/// What `run` can do on this machine for this user, found out by trying.
public enum SandboxExamination {
    /// Looks at everything; changes nothing, since a child of this process does the trying.
    public static func run() -> [Examination.Finding] {
        [sandbox(), uplink(), tunnel(), userspace()]
    }

    /// Whether packets can be carried over TAP devices.
    public static var canUseUserspace: Bool { access(Uplink.tunDevice, R_OK | W_OK) == 0 }

    private static func userspace() -> Examination.Finding {
        Examination.Finding(
            subject: "engine userspace",
            isFine: canUseUserspace,
            detail: canUseUserspace
                ? "carries conditions where netem cannot" : "cannot work without \(Uplink.tunDevice)",
            remedy: canUseUserspace ? nil : tunRemedy
        )
    }

    private static let tunRemedy = "sudo modprobe tun && sudo chmod 0666 \(Uplink.tunDevice)"

    private static func sandbox() -> Examination.Finding {
        let failure = trial()
        return Examination.Finding(
            subject: "sandbox",
            isFine: failure == nil,
            detail: failure?.message ?? "run can make a network of the command's own",
            remedy: failure?.remedy
        )
    }

    private static func uplink() -> Examination.Finding {
        guard let program = UplinkProgram.find() else {
            return Examination.Finding(
                subject: "uplink",
                isFine: false,
                detail: "no program that connects a sandbox to this machine's network: run needs --offline",
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

    /// Why no sandbox can be made; nil where one could.
    private static func trial() -> SandboxError? {
        do {
            let (mine, theirs) = try MessageSocket.pair()
            defer { mine.close() }
            let settings = NetworkSettings.ofHost()
            let child = try onSystem { () throws(SystemError) in
                try Fork.child {
                    do throws(SandboxError) {
                        _ = try Sandbox.moveIn(settings)
                        _ = try Sandbox.makeFiles()
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
            default: return SandboxError("the process that tried it was killed")
            }
        } catch {
            return error
        }
    }
}
