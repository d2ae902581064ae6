// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// The first use after boot, when the kernel has to load its modules.
    @Suite struct Modules {
        /// The module ifb makes two devices of its own. It is unloaded only in the lab: elsewhere it may be in use.
        @Test(.enabled(if: Kernel.isLab, "unloads a module: lab only"))
        func leaveNoDevicesOfTheirOwn() throws {
            try Shell.check("ip link add module0 type veth peer name module1")
            defer { _ = try? Shell.run("ip link del module0") }
            try Shell.check("rmmod ifb")
            let before = try Shell.check("ip -br link")
            #expect(try Shell.linkcond("apply 'Black Hole' -i module0").status == 0)
            #expect(!(try Shell.check("ip -br link")).contains("ifb0"))
            #expect(try Shell.linkcond("reset --now").status == 0)
            #expect(try Shell.check("ip -br link") == before)
        }

        /// netem needs them for Slow Net, the userspace engine does not.
        @Test(
            .enabled(if: Kernel.isLab, "unloads modules: lab only"),
            arguments: [KernelModule.netem, .tokenBucket, .priorityBands, .police, .ifb]
        )
        func makeRunFallBackToUserspace(_ module: KernelModule) throws {
            try module.missing {
                for caller in Caller.allCases {
                    let outcome = try caller.run("-v 'Slow Net' --offline -- true")
                    #expect(outcome.status == 0, "\(caller): \(outcome)")
                    #expect(outcome.errors.contains("using the userspace engine: this kernel has no "), "\(outcome)")
                    let doctor = try caller.doctor()
                    let name = module.rawValue.split(separator: "_").last ?? ""
                    #expect(doctor.lines.contains { $0.hasPrefix("missing  \(name) ") }, "\(caller): \(doctor)")
                    #expect(
                        doctor.lines.contains { $0.hasPrefix("ok       engine userspace ") },
                        "\(caller): \(doctor)"
                    )
                }
            }
        }

        /// Neither engine can redirect packets without them.
        @Test(
            .enabled(if: Kernel.isLab, "unloads modules: lab only"),
            arguments: [KernelModule.hook, .bpf, .mirred]
        )
        func areNamedWhereNothingTakesTheirPlace(_ module: KernelModule) throws {
            try module.missing {
                for caller in Caller.allCases {
                    let outcome = try caller.run("-v 'Slow Net' --offline -- true")
                    #expect(outcome.status == 125, "\(caller): \(outcome)")
                    #expect(outcome.errors.contains("try: linkcond doctor"), "\(caller): \(outcome)")
                    let lines = outcome.errors.split(separator: "\n")
                    #expect(Set(lines).count == lines.count, "\(caller) says it twice: \(outcome)")
                    let doctor = try caller.doctor()
                    #expect(doctor.status == 69, "\(caller): \(doctor)")
                    for engine in ["netem", "userspace"] {
                        let isMissing = doctor.lines.contains { $0.hasPrefix("missing  engine \(engine) ") }
                        #expect(isMissing, "\(caller): \(doctor)")
                    }
                }
            }
        }

        @Test(.enabled(if: Kernel.isLab, "unloads modules: lab only"))
        func ofTheUserspaceEngineAreNotNeededByNetem() throws {
            for (module, subject) in [(KernelModule.tun, "/dev/net/tun"), (.u32, "u32")] {
                try module.missing {
                    for caller in Caller.allCases {
                        let outcome = try caller.run("-v 'Slow Net' --offline -- true")
                        #expect(outcome.status == 0 && !outcome.errors.contains("userspace"), "\(caller): \(outcome)")
                        let doctor = try caller.doctor()
                        #expect(doctor.status == 0, "\(caller): \(doctor)")
                        for line in ["missing  \(subject) ", "missing  engine userspace ", "ok       engine netem "] {
                            #expect(doctor.lines.contains { $0.hasPrefix(line) }, "\(caller): \(doctor)")
                        }
                    }
                }
            }
        }

        /// The file is there on most distributions, and opening it loads the module.
        @Test(.enabled(if: Kernel.isLab, "unloads a module: lab only"))
        func areMissedThoughTheirFileIsThere() throws {
            try KernelModule.tun.missing {
                defer { _ = try? Shell.run("rm -f /dev/net/tun") }
                try Shell.check("mkdir -p /dev/net && mknod -m 0666 /dev/net/tun c 10 200")
                for caller in Caller.allCases {
                    let outcome = try caller.run("'Slow Net' --engine userspace --offline -- true")
                    #expect(outcome.status == 0, "\(caller): \(outcome)")
                    #expect(outcome.errors.contains("go through a veth pair"), "\(caller): \(outcome)")
                    let doctor = try caller.doctor()
                    #expect(doctor.lines.contains { $0.hasPrefix("missing  /dev/net/tun ") }, "\(caller): \(doctor)")
                }
            }
        }

        /// The filter that lets packets return is u32's. What was done before it is undone.
        @Test(.enabled(if: Kernel.isLab, "unloads a module: lab only"))
        func leaveNothingHalfDone() throws {
            // The kernel tells carriers up to a second late.
            try Shell.check(
                """
                ip link add module0 type veth peer name module1; ip link set module0 up; ip link set module1 up
                for _ in $(seq \(HangLimit.seconds)0); do
                    [ "$(cat /sys/class/net/module[01]/operstate | sort -u)" = up ] && exit; sleep 0.1
                done; false
                """
            )
            defer { _ = try? Shell.run("ip link del module0") }
            func lines() throws -> Set<Substring> {
                Set(try Shell.check("ip -br link; tc qdisc show").split(separator: "\n"))
            }
            let before = try lines()
            try KernelModule.u32.missing {
                let outcome = try Shell.linkcond("apply 'Slow Net' -i module0 --engine userspace")
                #expect(outcome.status == 69, "\(outcome)")
                #expect(outcome.errors.contains("everything is as it was before"), "\(outcome)")
                #expect(outcome.errors.contains("try: linkcond doctor"), "\(outcome)")
                // The pump's devices end with it.
                #expect(try HangLimit.waits { try lines() == before })
            }
        }
    }
}
