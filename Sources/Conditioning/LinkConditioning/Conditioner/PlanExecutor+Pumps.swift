// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
package import Netlink
internal import PacketPump
internal import TrafficControl

extension PlanExecutor {
    /// Makes an executor that sends pump steps to the sockets of pumps in the network that the process is in.
    package init(_ connection: RouteConnection) {
        self.init(connection, pumps: RealMachine.client)
    }
}

extension Inspector {
    func state(of name: String) throws(ConditioningError) -> DeviceState {
        try kernelAnswer(device(named: name))
    }
}
