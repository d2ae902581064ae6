// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// The packets of one network, shown in another.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct MirrorTests {
    private static let trials = Extent.choose(once: 3, all: 10, soak: 100)

    @Test(arguments: [
        "showsWhatTcpdumpShowsInTheNetwork", "showsWhatTcpdumpShowsOnTheInterface", "showsThePacketsOfTheWire",
        "keepsSuperPacketsWhereAskedTo", "showsPacketsWithoutEthernetHeaders", "showsPacketsAtTheirTimes",
        "deliversNothingToTheNetworkItIsIn", "sendsNothingOn", "isSilent", "endsWithItsNamedNetwork",
        "endsWithItsProcess", "endsWithItsInterface", "outlivesAnInterfaceThatGoesDown", "endsWithItsDevice",
        "countsWhatItDoesNotShow", "listsMirrorsOfThisNetworkAlone", "endsOneThatDoesNotAnswer",
        "leavesOthersDevicesAlone", "staysCalmWhereNetworksMirrorEachOther", "showsASandboxOnce",
        "letsThePipeOfItsStarterEnd", "isReachedByItsUserAlone", "keepsNobodyWaitingForASilentClient",
        "leavesAFileForTheNextLookWhenItIsKilled",
    ])
    func mirror(_ behaviour: String) throws {
        try PrivateLink.check("mirror.py", "\(behaviour)()")
    }

    /// Kills at three random moments, at ten in a sweep, or at 100 in the soak.
    @Test func leavesNothingAtAnyMoment() throws {
        try PrivateLink.check(
            "mirror.py",
            "leavesNothingAtAnyMoment(\(Self.trials))",
            limit: HangLimit.seconds + 10 * Self.trials
        )
    }

    @Test(arguments: [
        ("--mirror abcdefghijklmnop -i lo", 64, "is no name for an interface"),
        ("--mirror 'a b' -i lo", 64, "is no name for an interface"),
        ("--mirror m%d -i lo", 64, "is no name for an interface"), ("--mirror .. -i lo", 64, "is no name"),
        ("--mirror '' -i lo", 64, "is no name"), ("--mirror lo -i lo", 75, "an interface \"lo\" already"),
        ("--mirror m0 -i nope", 66, "no interface \"nope\" in this network"),
        ("--mirror m0 --netns nope", 66, "network namespace nope"),
        ("--mirror m0 --pid 4194304", 66, "process 4194304"),
        ("--mirror m0", 64, "would show itself"), ("--mirror m0 --pid $$", 64, "would show itself"),
        ("--mirror m0 -i lo -w x", 64, "no -r, -w"), ("--mirror m0 -i lo -s 64", 64, "no -s"),
        ("--mirror lc2r1u -i lo", 64, "devices that carry conditions"), ("--mirror m0 -i lo -n", 64, "-ntqAx"),
        ("--mirror m0 --list", 64, "cannot be combined"), ("--list -i lo", 64, "no -i"),
        ("--stop m0 --netns x", 64, "no -i"), ("--stop m0", 66, "no mirror \"m0\""),
        ("--json -i lo", 64, "--json needs --list"),
    ])
    func refusesMistakes(arguments: String, status: Int32, words: String) throws {
        let outcome = try Program.isolatedShell("\"$LINKCOND\" capture \(arguments); s=$?; ip -br link >&2; exit $s")
        #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
        #expect(
            outcome.errors.split(separator: "\n").filter { $0.contains("LOWER_UP") || $0.contains("DOWN") }.count == 1
        )
    }

    @Test func needsRights() throws {
        let line = "setpriv --reuid 65534 --clear-groups \"$LINKCOND\" capture --mirror m0 -i lo"
        let outcome = try Program.isolatedShell(line)
        #expect(outcome.status == 77 && outcome.errors.contains("sudo linkcond capture --mirror"), "\(outcome)")
    }

    @Test func needsTheDeviceFile() throws {
        // In mounts of its own: the device file is the machine's.
        let line = "mount -t tmpfs none /dev/net && exec $0 capture --mirror m0 -i lo"
        let outcome = try Program.isolatedShell("unshare -m --propagation private sh -c '\(line)' \"$LINKCOND\"")
        #expect(outcome.status == 69 && outcome.errors.contains("modprobe tun"), "\(outcome)")
    }
}
