// SPDX-License-Identifier: Apache-2.0

import Glibc
package import LinkRules
internal import LinuxSystem

/// Sends the frames of TAP devices, or of veth pairs in their place, through the lanes of a link, and writes them back
/// when they are due. A pump has one thread, which sleeps while nothing is due.
///
/// A super-packet counts as its wire packets if the lane requires that, but is stored once. Its wire packets that are
/// due together are written as one super-packet, as GRO does. Checksums that senders left to the device are completed
/// only when necessary.
///
/// ## Setup
///
/// The pump reads frames that filters redirect to its devices, and the frames that it writes arrive from them. The
/// caller makes the filters. In what follows, `match all` stands for `protocol all u32 match u32 0 0`, or for any
/// classifier of a rule. Make the device and its filters towards the network first, then those that redirect to it.
/// Undo in the opposite order, and wait in between until no packet is queued (``counters``). While packets are
/// redirected and no pump runs, they are lost. If /proc/sys is read-only, the kernel's own multicast on the TAP device
/// reaches the pump too.
///
/// **Loopback**, both directions through one device (``PumpInput/Traffic/loopback``):
///
///     tc qdisc add dev TAP clsact
///     tc filter add dev TAP ingress match all action mirred ingress redirect dev lo
///     tc qdisc add dev lo clsact
///     tc filter add dev lo egress match all action mirred egress redirect dev TAP
///
/// with `route_localnet=1`, `accept_local=1` and `rp_filter=0` in `net.ipv4.conf.all` and `net.ipv4.conf.lo`: frames
/// return without the route that loopback gave them. The pump sets the destination to the TAP device's own address,
/// because the device would take 00:00:00:00:00:00 for another host's. For packets of Ethernet's size, lo needs an MTU
/// of 1500.
///
/// A ``VethPair`` can take the place of the TAP device on loopback: its near end stands for TAP.
///
/// **Packets leaving a device** (``PumpInput/Traffic/leaving``):
///
///     tc filter add dev TAP ingress match all action mirred egress redirect dev DEV
///     tc filter add dev DEV egress pref 1 match all indev TAP flowid 1:1
///     tc filter add dev DEV egress pref 2 match all action mirred egress redirect dev TAP
///
/// Packets from TAP end at the filter with pref 1, which has no action, and leave. It needs a `flowid` (a class ID):
/// without one it does not end classification, and the frame loops forever. mirred sets the device that `indev`
/// compares on egress; classic BPF cannot read it.
///
/// **Packets arriving at a device** (``PumpInput/Traffic/arriving``):
///
///     tc filter add dev TAP ingress match all action mirred ingress redirect dev DEV
///     tc filter add dev DEV ingress protocol all \
///         bpf bytecode '4,48 0 0 6,69 1 0 1,6 0 0 4294967295,6 0 0 0,' action mirred egress redirect dev TAP
///
/// Frames enter DEV a second time, as if just received, and reach the same filter. `indev` is DEV on every arrival, and
/// the redirection cannot set a mark without act_skbedit. The pump therefore sets the group bit of the source address
/// (the lowest bit of byte 6, counted from 0), which no station's address has, and the program matches only frames
/// without it (`ldb [6]; jset #1`). Protocols above Ethernet ignore the bit. Packet sockets on DEV see frames twice,
/// the second time with the bit. A bridge drops such frames, so DEV must not be a port of one; condition the bridge
/// instead. TAP gets DEV's own hardware address (``TapDevice/init(name:mtu:address:)``), because the kernel decides
/// when a frame arrives from TAP whether it is for this host. Other programs' filters on DEV's ingress hook see each
/// frame twice unless the redirection precedes them.
package final class PacketPump: Sendable {
    private let commands: PumpCommands
    private let page: CounterPage
    private let configuration: PumpConfiguration

    /// Starts a pump.
    ///
    /// - Parameters:
    ///   - inputs: the devices, whose descriptors the pump keeps open.
    ///   - log: the log of each packet's fate.
    ///   - recorder: the recorder of the pump's packets; nil to record none.
    ///   - watchdog: the watchdog by which filters notice that the pump has stopped.
    package init(
        _ inputs: [PumpInput],
        _ conditions: PumpConditions,
        _ configuration: PumpConfiguration = PumpConfiguration(),
        log: PacketLog? = nil,
        recorder: PacketRecorder? = nil,
        watchdog: FilterWatchdog? = nil
    ) throws(PumpError) {
        guard let commands = try? PumpCommands(), let page = CounterPage() else { throw .descriptors(EMFILE) }
        let loop = LoopBox(
            try PumpLoop(
                inputs: inputs,
                configuration: configuration,
                commands: commands,
                page: page,
                watchers: PacketWatchers(log: log, capture: recorder),
                watchdog: watchdog
            )
        )
        loop.use(PreparedPipelines(conditions, configuration))
        // Last, because deinit stops a fully initialised object.
        self.commands = commands
        self.page = page
        self.configuration = configuration
        do {
            try PosixThread.detach {
                // The devices are deleted with their last reference, which must outlive the loop.
                withExtendedLifetime(inputs) { loop.run() }
                commands.end()
            }
        } catch {
            commands.end()
            throw .thread(error.code)
        }
    }

    deinit { stop() }

    /// The counters; other processes can read them by the page's descriptor.
    package var counters: CounterPage { page }

    /// A descriptor that is readable when the pump has ended: stopped, or all devices deleted.
    package var ending: Int32 { commands.ending }

    /// Waits until the pump has read and counted the frames that its devices hold at the time of the call.
    package func settle() {
        commands.settle()
    }

    /// Waits until the pump's thread has finished the round that it is in at the time of the call.
    func finishRound() { commands.send { _ in } }

    /// Replaces the conditions. Packets held by the pump are delivered as the old conditions determined, and packets
    /// that arrive after this call never wait for them.
    ///
    /// - Parameter name: the name of the conditions' profile, for records; nil to record no change.
    package func use(_ conditions: PumpConditions, named name: String? = nil) {
        let pipelines = PreparedPipelines(conditions, configuration)
        commands.send { ($0.pipelines, $0.profileName) = (pipelines, name) }
    }

    /// Drops the packets that earlier conditions hold.
    ///
    /// - Parameter isConditioning: whether the current conditions still apply; if not, the packets that they hold are
    ///   dropped, too.
    package func dropQueued(isConditioning: Bool) {
        let none = isConditioning ? nil : PreparedPipelines(PumpConditions(), configuration)
        commands.send { contents in
            if let none { contents.pipelines = none }
            contents.isDropping = true
        }
    }

    /// Applies a state of the network, also to the packets that the pump holds.
    package func use(_ network: NetworkState) {
        commands.send { $0.network = network }
    }

    /// Records the packets that arrive after this call. Of packets that the pump holds, only the fates are recorded.
    package func record(by recorder: PacketRecorder) {
        commands.send { $0.recorder = recorder }
    }

    /// Records the headers of packets whose fates are decided from now on, for an account of flows; nil to stop it.
    func account(by recorder: PacketRecorder?) {
        commands.send { $0.account = .some(recorder) }
    }

    /// Stops the pump. The packets that it holds are dropped and counted. To lose none, undo the redirection first and
    /// wait until none is queued.
    package func stop() {
        commands.send { $0.isStopping = true }
        commands.awaitEnd()
    }
}

/// Passes the loop, which cannot be copied, to its thread. Unchecked, since the thread that makes it does not use it
/// again.
private final class LoopBox: @unchecked Sendable {
    private var loop: PumpLoop

    init(_ loop: consuming PumpLoop) { self.loop = loop }

    func use(_ pipelines: PreparedPipelines) { loop.use(pipelines) }
    func run() { loop.run() }
}
