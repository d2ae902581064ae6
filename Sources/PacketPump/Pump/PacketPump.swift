// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import LinuxSystem

/// Carries the frames of TAP devices through the lanes of a link, and writes back what survives when it is due: one
/// thread, which sleeps while nothing is due.
///
/// A super-packet counts as its wire packets where the lane asks for that, but stays in one piece in memory; wire packets
/// of one that leave together are written as one again, as GRO would do. Checksums that senders left to the device
/// stay open as long as nobody needs them.
///
/// ## What belongs around it
///
/// The pump sees what filters redirect to its devices, and what it writes arrives from them; making filters is the
/// caller's affair. In what follows, `match all` stands for `protocol all u32 match u32 0 0`, or for any classifier that
/// picks the traffic of a rule. First the device and its filters towards the network, then those that redirect to it.
/// Undo in the opposite order, and wait in between until nothing is queued (``counters``): the frames still have to
/// come out. While the redirection stands and the pump does not, all that is redirected is lost. Where /proc/sys is
/// read-only, the kernel sends multicast of its own through a TAP device, which then reaches the pump as well.
///
/// **Loopback**, both directions through one device (``PumpInput/Traffic/loopback``):
///
///     tc qdisc add dev TAP clsact
///     tc filter add dev TAP ingress match all action mirred ingress redirect dev lo
///     tc qdisc add dev lo clsact
///     tc filter add dev lo egress match all action mirred egress redirect dev TAP
///
/// with `route_localnet=1`, `accept_local=1` and `rp_filter=0` in `net.ipv4.conf.all` and `net.ipv4.conf.lo`: frames come
/// back without the route that loopback gave them. The destination address becomes the TAP device's own on the way,
/// because 00:00:00:00:00:00 would be somebody else's there. Where packets are to be of Ethernet's size, lo has an MTU
/// of 1500.
///
/// **What leaves a device** (``PumpInput/Traffic/leaving``):
///
///     tc filter add dev TAP ingress match all action mirred egress redirect dev DEV
///     tc filter add dev DEV egress pref 1 match all indev TAP flowid 1:1
///     tc filter add dev DEV egress pref 2 match all action mirred egress redirect dev TAP
///
/// What comes from TAP ends at the filter of pref 1, which does nothing, and leaves. It needs a `flowid` (a class id):
/// without one it does not end the search, and the frame goes round for ever. mirred sets what `indev` compares on
/// egress; classic BPF cannot see it.
///
/// **What arrives at a device** (``PumpInput/Traffic/arriving``):
///
///     tc filter add dev TAP ingress match all action mirred ingress redirect dev DEV
///     tc filter add dev DEV ingress protocol all \
///         bpf bytecode '4,48 0 0 6,69 1 0 1,6 0 0 4294967295,6 0 0 0,' action mirred egress redirect dev TAP
///
/// Frames enter DEV a second time, as if they had just been received, and pass the same filter. `indev` is of no use
/// there, for the kernel sets it to DEV on every arrival; nor can the redirection leave a mark without act_skbedit. So
/// the pump sets the group bit of the source address (the lowest bit of the sixth byte, counted from 0), which no
/// station's own address has, and the program takes only frames without it (`ldb [6]; jset #1`). Protocols above Ethernet do not
/// look at it; packet sockets on DEV see frames twice, the second time with that bit; a bridge drops such frames, so
/// DEV must not be a port of one, and frames for a bridge are to be taken at the bridge itself. TAP gets DEV's own
/// hardware address (``TapDevice/init(name:mtu:address:)``): whether a frame is for this host is decided when it comes
/// out of TAP. Filters by others on DEV's ingress hook see each frame twice unless ours comes first.
public final class PacketPump: Sendable {
    private let mailbox: PumpMailbox
    private let page: CounterPage
    private let configuration: PumpConfiguration

    /// Starts a pump.
    ///
    /// - Parameters:
    ///   - inputs: the devices it serves, whose descriptors it keeps open.
    ///   - log: gets a line for every packet.
    public init(
        _ inputs: [PumpInput],
        _ conditions: PumpConditions,
        _ configuration: PumpConfiguration = PumpConfiguration(),
        log: PacketLog? = nil
    ) throws(PumpError) {
        guard let mailbox = PumpMailbox(), let page = CounterPage() else { throw .descriptors(24) }
        let loop = LoopBox(try PumpLoop(inputs, configuration, mailbox, page, log))
        loop.use(PreparedPipelines(conditions, configuration))
        // Last: an object that is whole is stopped when its making fails.
        self.mailbox = mailbox
        self.page = page
        self.configuration = configuration
        do {
            try PosixThread.detach {
                // The devices end with their last reference, and they must not end before the loop.
                withExtendedLifetime(inputs) { loop.run() }
                mailbox.end()
            }
        } catch {
            mailbox.end()
            throw .thread(error.code)
        }
    }

    deinit { stop() }

    /// What has come through so far; also for other processes, by its descriptor.
    public var counters: CounterPage { page }

    /// Readable once the pump has ended: stopped, or left without devices.
    public var ending: Int32 { mailbox.finish }

    /// Waits until what its devices had for it when this was called has been read, and counted.
    public func settle() {
        mailbox.send { $0.isSettling = true }
    }

    /// Puts other conditions in the place of the present ones. Packets that are inside leave as they were promised, and
    /// those that come after this returns never wait behind them.
    public func use(_ conditions: PumpConditions) {
        let pipelines = PreparedPipelines(conditions, configuration)
        mailbox.send { $0.pipelines = pipelines }
    }

    /// Ends the pump; packets inside are dropped, and counted. To lose none, undo the redirection first and wait until
    /// none is queued.
    public func stop() {
        mailbox.send { $0.isStopping = true }
        mailbox.awaitEnd()
    }
}

/// Carries the loop to its thread.
private final class LoopBox: @unchecked Sendable {
    private var loop: PumpLoop

    init(_ loop: consuming PumpLoop) { self.loop = loop }

    func use(_ pipelines: PreparedPipelines) { loop.use(pipelines) }
    func run() { loop.run() }
}
