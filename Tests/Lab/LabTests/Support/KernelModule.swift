// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A module of the lab's kernel, which can be taken away for a test.
enum KernelModule: String, CaseIterable, CustomTestStringConvertible {
    case netem = "sch_netem"
    case tokenBucket = "sch_tbf"
    case priorityBands = "sch_prio"
    case police = "act_police"
    case ifb
    case hook = "sch_ingress"
    case bpf = "cls_bpf"
    case mirred = "act_mirred"
    case u32 = "cls_u32"
    case tun

    var testDescription: String { rawValue }

    /// Runs `body` while the kernel neither has the module nor finds it.
    func missing<Result>(_ body: () throws -> Result) throws -> Result {
        defer { _ = try? Shell.run(restoring) }
        // A network that has just ended may still use it.
        try Shell.check(
            """
            set -e
            cat >/run/modprobe-\(rawValue) <<'END'
            #!/bin/sh
            for word; do
                case $word in -*) continue ;; esac
                /run/modprobe -R "$word" | grep -qx \(rawValue) && exit 1
            done
            exec /run/modprobe "$@"
            END
            chmod +x /run/modprobe-\(rawValue)
            echo /run/modprobe-\(rawValue) >/proc/sys/kernel/modprobe
            for try in $(seq 20); do
                rmmod \(rawValue) 2>/dev/null || true
                grep -q '^\(rawValue) ' /proc/modules || exit 0
                sleep 0.2
            done
            rmmod \(rawValue)
            """
        )
        return try body()
    }

    private var restoring: String {
        let load =
            switch self {
            case .ifb: "/run/modprobe ifb numifbs=0"
            case .tun: "/run/modprobe tun; chmod 0666 /dev/net/tun"
            default: "/run/modprobe \(rawValue)"
            }
        return "echo /run/modprobe >/proc/sys/kernel/modprobe; \(load)"
    }
}
