// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Packets of a real link, in files that other programs read.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct CaptureTests {
    @Test(arguments: [
        "holdsWhatTcpdumpHolds", "splitsSuperPackets", "keepsSuperPacketsWhereAskedTo",
        "keepsWhatMatchesAndAsMuchAsAsked",
        "holdsAllInterfacesOfANetwork", "tellsNamesThatWereAnswered", "isReadableAfterAKill", "endsWhenTheDiskIsFull",
        "endsWhenItsReaderGoes", "endsWithItsInterface", "endsAtItsLimits", "beginsNewFiles", "isForItsOwnerAlone",
        "countsWhatTheKernelDropped", "printsWhatItCaptures", "showsAConnectionOverLoopbackOnce",
        "endsWhenTheReaderOfAFIFOGoes", "endsWhileItsReaderDoesNotRead", "endsWhilePacketsKeepComing",
        "takesNoFileOfOthersInASharedDirectory", "readsDamagedFiles", "filtersPacketsWithoutEthernetHeaders",
    ])
    func capture(_ behaviour: String) throws {
        try PrivateLink.check("capture.py", "\(behaviour)()")
    }

    @Test(arguments: [
        ("-i lo --filter 'tcp prt 80'", 64, "the filter \"tcp prt 80\" is invalid"),
        ("-i nope -w /dev/null", 66, "no interface \"nope\""), ("-r /nonexistent", 66, "cannot read /nonexistent"),
        ("-r /etc/passwd", 65, "neither a pcapng nor a pcap file"), ("-i lo -w /nonexistent/x", 66, "/nonexistent/x"),
        ("-r x -i lo", 64, "cannot be combined"), ("--summary", 64, "it needs -r"),
        ("-r x --summary -c 5", 64, "takes no -c"), ("-r x --json", 64, "--json needs --list or --summary"),
        ("-r /etc/passwd --summary", 65, "neither a pcapng nor a pcap file"), ("-w - --print", 64, "standard output"),
        ("--rotate-size 1MB", 64, "need -w FILE"), ("-w x --rotate-size 5", 64, "no size"),
        ("-s 0", 64, "--snap is 1 to 262144"), ("-c 0", 64, "--count is 1 or more"),
        ("--rotate-keep 2", 64, "--rotate-keep needs"), ("-r x -s 5", 64, "it takes only -c"),
        ("-i lo -w /", 74, "cannot open /: Is a directory"), ("-r /", 74, "cannot read /: Is a directory"),
        ("-i lo -w /dev/full --for 100ms", 74, "cannot write /dev/full: No space left on device"),
    ])
    func refusesMistakes(arguments: String, status: Int32, words: String) throws {
        let outcome = try Program.isolatedShell("\"$LINKCOND\" capture \(arguments) >/dev/null")
        #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
    }

    @Test(arguments: [("", "sudo linkcond capture"), ("LINKCOND_SOCKET=/x", "linkcond run --capture FILE")])
    func needsTheRightToCapture(variable: String, remedy: String) throws {
        let words = "setpriv --reuid 65534 --clear-groups \"$LINKCOND\" capture -i lo"
        let outcome = try Program.isolatedShell("\(variable) \(words)")
        #expect(outcome.status == 77 && outcome.errors.contains("try: \(remedy)\n"), "\(outcome)")
    }
}
