// SPDX-License-Identifier: Apache-2.0

import LinuxSystem

/// The Linux distribution, which determines the package that has missing kernel modules.
enum LinuxDistribution {
    case debian, ubuntu, fedora, other

    static var current: LinuxDistribution {
        for line in ProcFile("/etc/os-release").lines {
            switch line.filter({ $0 != "\"" }) {
            case "ID=debian": return .debian
            case "ID=ubuntu": return .ubuntu
            case "ID=fedora", "ID=rhel", "ID=centos", "ID=rocky", "ID=almalinux": return .fedora
            default: continue
            }
        }
        return .other
    }

    /// How to get a kernel with the modules.
    var modules: String {
        let lab = "or scripts/lab/run of linkcond's sources, for a kernel that has it"
        return switch self {
        case .debian: "boot Debian's own kernel (apt-get install linux-image-amd64), \(lab)"
        case .ubuntu: "apt-get install linux-modules-extra-$(uname -r), \(lab)"
        case .fedora: "dnf install kernel-modules-extra-$(uname -r), \(lab)"
        case .other: "a kernel with CONFIG_NET_SCH_NETEM, \(lab)"
        }
    }
}
