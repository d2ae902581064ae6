// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import Gateway
import Glibc
package import LinuxSystem
internal import PacketPump

extension RunningSandbox {
    static let gatewayName = "lc-gateway"

    package func role(of process: CInt) -> String? {
        switch process {
        case uplink?.gateway.gateway: return "\(Self.gatewayName), which carries the uplink,"
        case uplink?.gateway.opener: return "lc-sockets, which opens the uplink's connections,"
        case hostServices?.process: return "the relay to the host's ports"
        case recorder?.process: return "lc-capture, which writes the capture,"
        case pump?.process:
            let isSilent = pumpWatch?.hasEndedPump == true
            return "lc-pump, which carries the conditions\(isSilent ? " and did not answer any more" : ""),"
        default: return nil
        }
    }

    package func roleHasChanged(of process: CInt, _ status: ChildStatus) {
        guard let role = role(of: process) else { return }
        if case .stopped = status { forwarderWatches[process]?.knowsStop(true) }
        if status == .continued { forwarderWatches[process]?.knowsStop(false) }
        let state: RunEvent.ForwarderState =
            switch status {
            case .exited, .killed: .ended
            case .stopped: .stopped
            case .continued: .continued
            }
        events?.post(.forwarder(role, state))
    }
}
