// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

/// A profile that is sent with its recordings.
@Suite struct RecordedProfileTests {
    private static func message(_ recordings: String) -> String {
        #"{"name": "x", "uplink": {"trace": {"file": "a", "format": "mahimahi"}}, "recordings": \#(recordings)}"#
    }

    @Test func readsTheTextsOfTheFilesThatItNames() throws {
        let sent = try RecordedProfile(json: JSON(utf8: Self.message(##"{"a": "# drive\n5\n7\n"}"##).utf8))
        let reference = TraceReference(file: "a", format: .mahimahi)
        #expect(sent.recordings[reference]?.content == .opportunities([5, 7]))
    }

    @Test func needsNoRecordings() throws {
        let sent = try RecordedProfile(json: JSON(utf8: #"{"name": "x", "mtu": 1280}"#.utf8))
        #expect(sent.profile.mtu == 1280 && sent.recordings.isEmpty)
    }

    @Test func sendsOnlyWhatTheProfileNames() throws {
        let other = try Trace("5\n", format: .mahimahi)
        let sent = RecordedProfile(Profile(name: "x"), [TraceReference(file: "b", format: .mahimahi): other])
        #expect(sent.recordings.isEmpty)
    }

    @Test(arguments: [
        (#"{"b": "5\n"}"#, "1:88: $.recordings.b: unknown key; expected one of a"),
        (#"{"a": "7\n5\n"}"#, "1:93: $.recordings.a: line 2: 5 ms follows 7 ms; times must not decrease"),
        (#"{"a": 5}"#, "1:93: $.recordings.a: found 5; expected a string"),
        (
            "[]",
            "1:87: $.recordings: found an array; expected an object of files that the profile names, with their texts"
        ),
    ])
    func namesMistakes(recordings: String, issue: String) throws {
        let json = try JSON(utf8: Self.message(recordings).utf8)
        let error = #expect(throws: InvalidProfile.self) { try RecordedProfile(json: json) }
        #expect(error?.issues.map(\.description) == [issue])
    }

    @Test func refusesAProfileThatIsNone() throws {
        let error = #expect(throws: InvalidProfile.self) { try RecordedProfile(json: JSON(utf8: "[]".utf8)) }
        #expect(error?.issues.count == 1)
    }
}
