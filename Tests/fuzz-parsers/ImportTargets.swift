// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats

extension FuzzTarget {
    /// Formats of other tools. The first byte chooses: the format that the text shows, or one that the user names.
    static let imports = FuzzTarget(
        "import",
        texts: [
            "0<plist><dict><key>Profiles</key><dict><key>A</key><dict><key>DownlinkBandwidth</key><integer>780</integer>"
                + "<key>DownlinkDelay</key><integer>100</integer><key>UplinkPacketLossRatio</key><real>0.5</real>"
                + "<key>DNSDelayValue</key><integer>9</integer></dict></dict></dict></plist>",
            #"0{"eth0": {"outgoing": {"protocol=ip": {"delay": "10.0ms", "delay-distro": "2.0ms", "rate": "250Kbps"}}}}"#,
            #"0{"shaping": {"down": {"delay": {"delay": 400, "jitter": 0}, "loss": {"percentage": 1}, "rate": 240}}}"#,
            "0[Cable]\nlabel=\"Cable\"\nbwIn=5000000\nbwOut=1000000\nlatency=28\nplr=0\n",
            "0comcast --latency=250 --target-bw=750 --packet-loss=1.5% --target-addr=8.8.8.8 --target-proto=tcp",
            "0throttle --up 768 --down 1600 --rtt 150",
            #"5{"up": 330, "down": 780, "rtt": 200, "packetLoss": 2}"#,
            #"0{"offline": false, "latency": 150, "downloadThroughput": 200000, "uploadThroughput": 93750}"#,
            #"0{"throttling": {"rttMs": 150, "throughputKbps": 1638.4, "requestLatencyMs": 562.5}}"#,
            #"0[{"type": "latency", "stream": "downstream", "attributes": {"latency": 100, "jitter": 20}}]"#,
            #"0[{"type": "bandwidth", "stream": "upstream", "attributes": {"rate": 41}}]"#,
            "0qdisc netem 8002: dev eth0 root refcnt 2 limit 1000 delay 100ms  10ms 25% loss 1% 25% rate 1Mbit\n",
            #"0[{"kind": "netem", "handle": "8005:", "root": true, "options": {"limit": 9, "delay": {"delay": 0.1}, "#
                + #""loss-gemodel": {"p": 0.01, "r": 0.1, "1-h": 0.7, "1-k": 0.001}, "rate": {"rate": 125000}}}]"#,
            "0" + (1...20).map { "\($0)\n" }.joined(),
        ]
    ) { bytes in
        guard let first = bytes.first else { return }
        let formats = [nil] + ImportFormat.allCases
        let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
        let imported: ImportedProfile
        do throws(ImportError) {
            imported = try ImportedProfile.read(
                text,
                format: formats[(Int(first) + formats.count * 48 - 48) % formats.count],
                name: first >= 0x80 ? "A" : nil,
                file: "/x.down"
            )
        } catch {
            return require(!error.description.isEmpty, "refused without a reason")
        }
        let copy = try? Profile(utf8: imported.profile.json.text.utf8)
        require(copy == imported.profile, "\(imported.profile) is written as \(imported.profile.json.text)")
        for format in ExportFormat.allCases { _ = ExportedProfile(imported.profile, as: format).text }
    }
}
