// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import ProfileFormats

/// Texts of other tools, in the form of their documentation and with the figures of their published profiles.
enum Samples {
    static let nlc = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <!-- made by hand -->
          <key>Profiles</key>
          <dict>
            <key>3G</key>
            <dict>
              <key>DNSDelayValue</key><integer>0</integer>
              <key>DownlinkBandwidth</key><integer>780</integer><key>DownlinkBandwidthUnit</key><integer>0</integer>
              <key>DownlinkDelay</key><integer>100</integer><key>DownlinkPacketLossRatio</key><real>0.0</real>
              <key>ExcludeLoopback</key><true/><key>ProtocolFamily</key><integer>0</integer>
              <key>RunOnInterface</key><string>All</string>
              <key>UplinkBandwidth</key><integer>330</integer><key>UplinkBandwidthUnit</key><integer>0</integer>
              <key>UplinkDelay</key><integer>100</integer><key>UplinkPacketLossRatio</key><integer>0</integer>
            </dict>
            <key>LTE</key>
            <dict>
              <key>DownlinkBandwidth</key><integer>50</integer><key>DownlinkBandwidthUnit</key><integer>1</integer>
              <key>DownlinkDelay</key><integer>50</integer>
              <key>UplinkBandwidth</key><integer>10</integer><key>UplinkBandwidthUnit</key><integer>1</integer>
              <key>UplinkDelay</key><integer>65</integer>
            </dict>
            <key>Very Bad Network</key>
            <dict>
              <key>DownlinkBandwidth</key><integer>1</integer><key>DownlinkBandwidthUnit</key><integer>1</integer>
              <key>DownlinkDelay</key><integer>500</integer><key>DownlinkPacketLossRatio</key><integer>10</integer>
              <key>UplinkBandwidth</key><integer>1</integer><key>UplinkBandwidthUnit</key><integer>1</integer>
              <key>UplinkDelay</key><integer>500</integer><key>UplinkPacketLossRatio</key><integer>10</integer>
            </dict>
            <key>High Latency DNS</key>
            <dict><key>DNSDelayValue</key><integer>3000</integer><key>DownlinkBandwidth</key><integer>0</integer></dict>
          </dict>
          <key>SelectedProfile</key><string>3G</string>
        </dict>
        </plist>
        """

    static let tcconfig = """
        {
          "eth0": {
            "outgoing": {
              "dst-network=192.168.0.10/32, dst-port=8080, protocol=ip": {
                "filter_id": "800::800", "delay": "10.0ms", "delay-distro": "2.0ms", "loss": "0.01%", "rate": "250Kbps"
              }
            },
            "incoming": {
              "protocol=ip": { "filter_id": "800::800", "delay": "1.0ms", "loss": "0.02%", "rate": "500Kbps" }
            }
          }
        }
        """

    /// The profile "Edge - Lossy" of the tool.
    static let atc = """
        {
          "shaping": {
            "down": {
              "corruption": { "correlation": 0, "percentage": 0 }, "delay": { "correlation": 0, "delay": 400, "jitter": 0 },
              "iptables_options": [], "loss": { "correlation": 0, "percentage": 1 }, "rate": 240,
              "reorder": { "correlation": 0, "gap": 0, "percentage": 0 }
            },
            "up": {
              "corruption": { "correlation": 0, "percentage": 0 }, "delay": { "correlation": 0, "delay": 440, "jitter": 0 },
              "iptables_options": [], "loss": { "correlation": 0, "percentage": 1 }, "rate": 200,
              "reorder": { "correlation": 0, "gap": 0, "percentage": 0 }
            }
          },
          "id": 9, "name": "Edge - Lossy"
        }
        """

    static let webpagetest = """
        ; bits per second, and milliseconds of round trip
        [Cable]
        label="Cable (5/1 Mbps 28ms RTT)"
        bwIn=5000000
        bwOut=1000000
        latency=28
        plr=0

        [DSL]
        label="DSL (1.5 Mbps/384 Kbps 50ms RTT)"
        bwIn=1500000
        bwOut=384000
        latency=50
        plr=0

        [Dial]
        label="56K Dial-Up (49/30 Kbps 120ms RTT)"
        bwIn=49000
        bwOut=30000
        latency=120
        plr=0
        timeout=300

        [3GFast]
        label="3G Fast"
        bwIn=1600000
        bwOut=768000
        latency=150
        plr=0
        """

    static let comcast =
        "comcast --device=eth0 --latency=250 --target-bw=750 --default-bw=1000000 --packet-loss=1.5% "
        + "--target-addr=8.8.8.8,10.0.0.0/24 --target-proto=tcp,udp --target-port=80,22"

    static let throttle = "throttle --up 768 --down 1600 --rtt 150"
    static let throttleJSON = #"{ "up": 330, "down": 780, "rtt": 200, "packetLoss": 2 }"#

    static let devtools = """
        { "offline": false, "latency": 150, "downloadThroughput": 200000, "uploadThroughput": 93750, "packetLoss": 0 }
        """

    /// Lighthouse's mobileSlow4G.
    static let lighthouse = """
        {
          "settings": { "throttling": {
            "rttMs": 150, "throughputKbps": 1638.4, "requestLatencyMs": 562.5, "downloadThroughputKbps": 1474.56,
            "uploadThroughputKbps": 675, "cpuSlowdownMultiplier": 4
          } }
        }
        """

    static let toxiproxy = """
        [
          { "name": "latency_downstream", "type": "latency", "stream": "downstream", "toxicity": 1.0,
            "attributes": { "latency": 100, "jitter": 20 } },
          { "type": "bandwidth", "stream": "upstream", "attributes": { "rate": 41 } }
        ]
        """

    static let tc = """
        qdisc noqueue 0: dev lo root refcnt 2
        qdisc netem 8002: dev eth0 root refcnt 2 limit 1000 delay 100ms  10ms 25% loss 1% 25% rate 1Mbit
         Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0)
        qdisc ingress ffff: dev eth0 parent ffff:fff1 ----------------
        qdisc netem 8009: dev ifb0 root refcnt 2 limit 1000 delay 5ms rate 2500Kbit
        """

    static let tcJSON = """
        [{"kind":"netem","handle":"8005:","root":true,"refcnt":2,"options":{"limit":1000,"delay":{"delay":0.1,"jitter":0,
        "correlation":0},"loss-gemodel":{"p":0.01,"r":0.1,"1-h":0.7,"1-k":0.001},"rate":{"rate":125000,"packetoverhead":20,
        "cellsize":53,"celloverhead":5},"ecn":true,"gap":0}}]
        """

    static let mahimahi = (1...100).map { "\($0)\n" }.joined()

    static let all: [(format: ImportFormat, text: String)] = [
        (.nlc, nlc), (.tcconfig, tcconfig), (.atc, atc), (.webpagetest, webpagetest), (.comcast, comcast),
        (.throttle, throttle), (.throttle, throttleJSON), (.devtools, devtools), (.devtools, lighthouse),
        (.toxiproxy, toxiproxy), (.tc, tc), (.tc, tcJSON), (.mahimahi, mahimahi),
    ]
}

extension ImportedProfile {
    /// What reading the text throws; nil where it throws nothing.
    static func failure(_ text: String, format: ImportFormat? = nil, name: String? = nil) -> ImportError? {
        do throws(ImportError) {
            _ = try read(text, format: format, name: name)
            return nil
        } catch {
            return error
        }
    }
}
