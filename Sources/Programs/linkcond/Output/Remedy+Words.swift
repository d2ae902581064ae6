// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import PacketMirror
import Sandboxing

extension Remedy {
    /// The command to type next.
    ///
    /// - Parameter network: the option that names the network namespace, with a space before it: " --container web".
    func words(in network: String = "") -> String {
        let device = (objects.first.map { " -i \($0)" } ?? "") + network
        return switch action {
        case .advice: objects.joined()
        case .reset: "linkcond reset\(device)"
        case .repeatOrReset:
            "the command again; if it cannot be read for good, \"linkcond reset\(network)\", which deletes it"
        case .repeatReset: "\"linkcond reset\(network)\" again, once that entry can be deleted"
        case .switchProfile: "linkcond switch PROFILE\(objects.isEmpty ? ", inside the sandbox" : device)"
        case .apply: "linkcond apply PROFILE -i DEV\(network)"
        case .nameInterface: InterfaceNames.remedy(for: objects.joined())
        case .nameRule: "-i \(objects.joined(separator: " --rule ")), or another of these"
        case .useEngine: "--engine \(objects.joined())"
        case .examine: "linkcond doctor"
        case .examineAsRoot: "sudo linkcond doctor"
        case .installModules: LinuxDistribution.current.modules
        case .becomeRoot: "sudo linkcond ..., or a network of your own: unshare -rn"
        case .makeSandboxAsRoot: "sudo linkcond run --user $USER ..."
        case .runCommand: "linkcond run\(device) PROFILE -- COMMAND, or a container with an init process"
        case .keepLogin: "linkcond apply with --keep-ssh, or --confirm 30s, or --for 10m"
        case .showStatus: "linkcond status\(network)"
        case .precedeForeign: "--before-foreign, if those may miss the conditioned packets"
        case .moveJournal: (objects + ["LINKCOND_STATE_DIR=DIRECTORY linkcond ..."]).joined(separator: ", or: ")
        case .stayOffline: (objects + ["--offline"]).joined(separator: ", or ")
        case .excludeAddress: "--exclude 'to \(objects.joined())' prevents it"
        case .resetIfKilled: "if linkcond is killed midway, only \"linkcond reset\(network)\" repairs it"
        case .conditionBridge: "condition the bridge itself, with -i, or only the uplink"
        }
    }
}

extension ConditioningNote {
    /// The note, and the command to type next.
    ///
    /// - Parameter network: the option that names the network namespace.
    func words(in network: String = "") -> String {
        let advice = remedy?.words(in: network) ?? ""
        return switch remedy?.action {
        case .excludeAddress: "\(text); \(advice)"
        case .resetIfKilled: "\(text): \(advice)"
        default: String(text, try: remedy?.words(in: network))
        }
    }
}

extension MirrorError.Remedy {
    /// The command to type next.
    var words: String {
        switch self {
        case .advice(let text): text
        case .list: "linkcond capture --list"
        case .stopAsRoot(let name): "sudo linkcond capture --stop \(name)"
        case .mirrorAsRoot: "sudo linkcond capture --mirror NAME ..."
        case .loadModule: "modprobe tun, or linkcond doctor"
        case .nameSource: "name an interface (-i DEV) or another network (--netns NAME, --pid PID)"
        }
    }
}

extension String {
    /// The message, and on another line the command to type next.
    init(_ message: String, try remedy: String?) {
        self = [message, remedy.map { "try: \($0)" }].compactMap { $0 }.joined(separator: "\n")
    }
}
