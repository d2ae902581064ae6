// SPDX-License-Identifier: Apache-2.0
// Generated from Profiles/*.json; after changing one of them: LINKCOND_EMBED=1 swift test --filter EmbeddedProfileTests
// swift-format-ignore-file

enum BuiltInProfiles {
    static let all: [BuiltInProfile] = [
        BuiltInProfile(
            "100-loss.json", "100% Loss",
            downlink: "100 % lost", uplink: "100 % lost", dns: "-",
            json: "{\n  \"name\": \"100% Loss\",\n  \"summary\": \"Nothing passes either way\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values\",\n  \"downlink\": { \"loss\": \"100 %\" },\n  \"uplink\": { \"loss\": \"100 %\" }\n}\n"
        ),
        BuiltInProfile(
            "2g-rural.json", "2G Rural",
            downlink: "2 % lost, 650 ms delay, 20 kbit/s", uplink: "2 % lost, 650 ms delay, 18 kbit/s", dns: "-",
            json: "{\n  \"name\": \"2G Rural\",\n  \"summary\": \"Poor 2G in the countryside, after Apple's device conditions\",\n  \"source\": \"ATC's 2G Developing Rural; that Apple's 2G-Rural has the same figures is judgement\",\n  \"downlink\": { \"rate\": \"20 kbit/s\", \"delay\": \"650 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"18 kbit/s\", \"delay\": \"650 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "2g-urban.json", "2G Urban",
            downlink: "650 ms delay, 35 kbit/s", uplink: "650 ms delay, 32 kbit/s", dns: "-",
            json: "{\n  \"name\": \"2G Urban\",\n  \"summary\": \"2G in a town, after Apple's device conditions\",\n  \"source\": \"ATC's 2G Developing Urban; that Apple's 2G-Urban has the same figures is judgement\",\n  \"downlink\": { \"rate\": \"35 kbit/s\", \"delay\": \"650 ms\" },\n  \"uplink\": { \"rate\": \"32 kbit/s\", \"delay\": \"650 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "3g-average.json", "3G Average",
            downlink: "100 ms delay, 780 kbit/s", uplink: "100 ms delay, 330 kbit/s", dns: "-",
            json: "{\n  \"name\": \"3G Average\",\n  \"summary\": \"3G, average case, older Apple set\",\n  \"source\": \"ATC's 3G Average and an ipfw script that imitates Apple's tool on OS X 10.8\",\n  \"downlink\": { \"rate\": \"780 kbit/s\", \"delay\": \"100 ms\" },\n  \"uplink\": { \"rate\": \"330 kbit/s\", \"delay\": \"100 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "3g-good.json", "3G Good",
            downlink: "90 ms delay, 850 kbit/s", uplink: "100 ms delay, 420 kbit/s", dns: "-",
            json: "{\n  \"name\": \"3G Good\",\n  \"summary\": \"3G with good connectivity, older Apple set\",\n  \"source\": \"ATC's 3G Good and an ipfw script that imitates Apple's tool on OS X 10.8; the script has 100 ms of downlink delay where ATC has 90 ms\",\n  \"downlink\": { \"rate\": \"850 kbit/s\", \"delay\": \"90 ms\" },\n  \"uplink\": { \"rate\": \"420 kbit/s\", \"delay\": \"100 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "3g-lossy.json", "3G Lossy",
            downlink: "1 % lost, 100 ms delay, 780 kbit/s", uplink: "1 % lost, 100 ms delay, 330 kbit/s", dns: "-",
            json: "{\n  \"name\": \"3G Lossy\",\n  \"summary\": \"3G with loss, older Apple set\",\n  \"source\": \"An ipfw script that imitates Apple's tool on OS X 10.8; its loss is downlink only, 1 % of uplink loss is judgement after ATC's Edge Lossy\",\n  \"downlink\": { \"rate\": \"780 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"330 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "3g.json", "3G",
            downlink: "100 ms delay, 780 kbit/s", uplink: "100 ms delay, 330 kbit/s", dns: "-",
            json: "{\n  \"name\": \"3G\",\n  \"summary\": \"Third-generation mobile network\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values; the same in ATC's 3G Average and in an ipfw script that imitates Apple's tool on OS X 10.8\",\n  \"downlink\": { \"rate\": \"780 kbit/s\", \"delay\": \"100 ms\" },\n  \"uplink\": { \"rate\": \"330 kbit/s\", \"delay\": \"100 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "android-edge.json", "Android Edge",
            downlink: "240 ms delay, ± 160 ms jitter, 473.6 kbit/s", uplink: "240 ms delay, ± 160 ms jitter, 473.6 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Android Edge\",\n  \"summary\": \"EDGE\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: 80 to 400 ms, written as midpoint and half range, the same each way; the emulator's own source calls the delays invented\",\n  \"downlink\": { \"rate\": \"473.6 kbit/s\", \"delay\": \"240 ms\", \"jitter\": \"160 ms\" },\n  \"uplink\": { \"rate\": \"473.6 kbit/s\", \"delay\": \"240 ms\", \"jitter\": \"160 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "android-evdo.json", "Android EVDO",
            downlink: "280 Mbit/s", uplink: "75 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Android EVDO\",\n  \"summary\": \"CDMA2000 EV-DO with the emulator's high rates\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: no delay\",\n  \"downlink\": { \"rate\": \"280 Mbit/s\" },\n  \"uplink\": { \"rate\": \"75 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "android-gprs.json", "Android GPRS",
            downlink: "117.5 ms delay, ± 82.5 ms jitter, 57.6 kbit/s", uplink: "117.5 ms delay, ± 82.5 ms jitter, 28.8 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Android GPRS\",\n  \"summary\": \"GPRS\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: 35 to 200 ms, written as midpoint and half range, the same each way; the emulator's own source calls the delays invented\",\n  \"downlink\": { \"rate\": \"57.6 kbit/s\", \"delay\": \"117.5 ms\", \"jitter\": \"82.5 ms\" },\n  \"uplink\": { \"rate\": \"28.8 kbit/s\", \"delay\": \"117.5 ms\", \"jitter\": \"82.5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "android-gsm.json", "Android GSM",
            downlink: "350 ms delay, ± 200 ms jitter, 14.4 kbit/s", uplink: "350 ms delay, ± 200 ms jitter, 14.4 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Android GSM\",\n  \"summary\": \"Circuit-switched GSM data\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: 150 to 550 ms, written as midpoint and half range, the same each way; the emulator's own source calls the delays invented\",\n  \"downlink\": { \"rate\": \"14.4 kbit/s\", \"delay\": \"350 ms\", \"jitter\": \"200 ms\" },\n  \"uplink\": { \"rate\": \"14.4 kbit/s\", \"delay\": \"350 ms\", \"jitter\": \"200 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "android-hscsd.json", "Android HSCSD",
            downlink: "240 ms delay, ± 160 ms jitter, 57.6 kbit/s", uplink: "240 ms delay, ± 160 ms jitter, 14.4 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Android HSCSD\",\n  \"summary\": \"High-speed circuit-switched GSM data\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: 80 to 400 ms, written as midpoint and half range, the same each way; the emulator's own source calls the delays invented\",\n  \"downlink\": { \"rate\": \"57.6 kbit/s\", \"delay\": \"240 ms\", \"jitter\": \"160 ms\" },\n  \"uplink\": { \"rate\": \"14.4 kbit/s\", \"delay\": \"240 ms\", \"jitter\": \"160 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "android-hsdpa.json", "Android HSDPA",
            downlink: "13.98 Mbit/s", uplink: "5.76 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Android HSDPA\",\n  \"summary\": \"Later 3G networks\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: no delay\",\n  \"downlink\": { \"rate\": \"13.98 Mbit/s\" },\n  \"uplink\": { \"rate\": \"5.76 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "android-lte.json", "Android LTE",
            downlink: "173 Mbit/s", uplink: "58 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Android LTE\",\n  \"summary\": \"LTE\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: no delay\",\n  \"downlink\": { \"rate\": \"173 Mbit/s\" },\n  \"uplink\": { \"rate\": \"58 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "android-umts.json", "Android UMTS",
            downlink: "117.5 ms delay, ± 82.5 ms jitter, 384 kbit/s", uplink: "117.5 ms delay, ± 82.5 ms jitter, 384 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Android UMTS\",\n  \"summary\": \"First 3G networks\",\n  \"source\": \"Android emulator's -help text for netspeed and netdelay, as quoted by a CSDN article: 35 to 200 ms, written as midpoint and half range, the same each way; the emulator's own source calls the delays invented\",\n  \"downlink\": { \"rate\": \"384 kbit/s\", \"delay\": \"117.5 ms\", \"jitter\": \"82.5 ms\" },\n  \"uplink\": { \"rate\": \"384 kbit/s\", \"delay\": \"117.5 ms\", \"jitter\": \"82.5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-2g-developing-rural.json", "ATC 2G Developing Rural",
            downlink: "2 % lost, 650 ms delay, 20 kbit/s", uplink: "2 % lost, 650 ms delay, 18 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC 2G Developing Rural\",\n  \"summary\": \"2G in the countryside of a developing country\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"20 kbit/s\", \"delay\": \"650 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"18 kbit/s\", \"delay\": \"650 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-2g-developing-urban.json", "ATC 2G Developing Urban",
            downlink: "650 ms delay, 35 kbit/s", uplink: "650 ms delay, 32 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC 2G Developing Urban\",\n  \"summary\": \"2G in a town of a developing country\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"35 kbit/s\", \"delay\": \"650 ms\" },\n  \"uplink\": { \"rate\": \"32 kbit/s\", \"delay\": \"650 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-3g-average.json", "ATC 3G Average",
            downlink: "100 ms delay, 780 kbit/s", uplink: "100 ms delay, 330 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC 3G Average\",\n  \"summary\": \"3G, average case\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"780 kbit/s\", \"delay\": \"100 ms\" },\n  \"uplink\": { \"rate\": \"330 kbit/s\", \"delay\": \"100 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-3g-good.json", "ATC 3G Good",
            downlink: "90 ms delay, 850 kbit/s", uplink: "100 ms delay, 420 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC 3G Good\",\n  \"summary\": \"3G with good connectivity\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"850 kbit/s\", \"delay\": \"90 ms\" },\n  \"uplink\": { \"rate\": \"420 kbit/s\", \"delay\": \"100 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-cable.json", "ATC Cable",
            downlink: "2 ms delay, 6 Mbit/s", uplink: "2 ms delay, 1 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC Cable\",\n  \"summary\": \"Cable broadband\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"6 Mbit/s\", \"delay\": \"2 ms\" },\n  \"uplink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"2 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-dsl.json", "ATC DSL",
            downlink: "5 ms delay, 2 Mbit/s", uplink: "5 ms delay, 256 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC DSL\",\n  \"summary\": \"Telephone-line broadband\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"5 ms\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-edge-average.json", "ATC Edge Average",
            downlink: "400 ms delay, 240 kbit/s", uplink: "440 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC Edge Average\",\n  \"summary\": \"EDGE, average case\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"400 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"440 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-edge-good.json", "ATC Edge Good",
            downlink: "350 ms delay, 250 kbit/s", uplink: "370 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC Edge Good\",\n  \"summary\": \"EDGE with good connectivity\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"250 kbit/s\", \"delay\": \"350 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"370 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-edge-lossy.json", "ATC Edge Lossy",
            downlink: "1 % lost, 400 ms delay, 240 kbit/s", uplink: "1 % lost, 440 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC Edge Lossy\",\n  \"summary\": \"EDGE with loss\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"400 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"440 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "atc-no-connectivity.json", "ATC No Connectivity",
            downlink: "1 kbit/s", uplink: "1 kbit/s", dns: "-",
            json: "{\n  \"name\": \"ATC No Connectivity\",\n  \"summary\": \"Next to nothing passes: 1 kbit/s, without loss\",\n  \"source\": \"facebookarchive/augmented-traffic-control, utils/profiles, 5757208\",\n  \"downlink\": { \"rate\": \"1 kbit/s\" },\n  \"uplink\": { \"rate\": \"1 kbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "black-hole.json", "Black Hole",
            downlink: "100 % lost", uplink: "-", dns: "-",
            json: "{\n  \"name\": \"Black Hole\",\n  \"summary\": \"Nothing arrives; what is sent still leaves\",\n  \"source\": \"useyourloaf.com, Network Link Conditioner, 2012: 100 % downlink loss, the uplink is untouched\",\n  \"downlink\": { \"loss\": \"100 %\" }\n}\n"
        ),
        BuiltInProfile(
            "browserstack-3.5g-good.json", "BrowserStack 3.5G Good",
            downlink: "50 ms delay, 1.8 Mbit/s", uplink: "50 ms delay, 400 kbit/s", dns: "-",
            json: "{\n  \"name\": \"BrowserStack 3.5G Good\",\n  \"summary\": \"HSPA with good connectivity\",\n  \"source\": \"BrowserStack's documentation, simulate network conditions, 3.5g-hspa-good; that 100 ms is RTT, half each way, is judgement\",\n  \"downlink\": { \"rate\": \"1.8 Mbit/s\", \"delay\": \"50 ms\" },\n  \"uplink\": { \"rate\": \"400 kbit/s\", \"delay\": \"50 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "browserstack-3g-lossy.json", "BrowserStack 3G Lossy",
            downlink: "1 % lost, 100 ms delay, 200 kbit/s", uplink: "1 % lost, 100 ms delay, 50 kbit/s", dns: "-",
            json: "{\n  \"name\": \"BrowserStack 3G Lossy\",\n  \"summary\": \"UMTS with loss\",\n  \"source\": \"BrowserStack's documentation, simulate network conditions, 3g-umts-lossy; that 200 ms is RTT, half each way, and that the loss holds for each way are judgement\",\n  \"downlink\": { \"rate\": \"200 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"50 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "browserstack-edge-lossy.json", "BrowserStack Edge Lossy",
            downlink: "1 % lost, 250 ms delay, 150 kbit/s", uplink: "1 % lost, 250 ms delay, 100 kbit/s", dns: "-",
            json: "{\n  \"name\": \"BrowserStack Edge Lossy\",\n  \"summary\": \"EDGE with loss\",\n  \"source\": \"BrowserStack's documentation, simulate network conditions, edge-lossy; that 500 ms is RTT, half each way, and that the loss holds for each way are judgement\",\n  \"downlink\": { \"rate\": \"150 kbit/s\", \"delay\": \"250 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"100 kbit/s\", \"delay\": \"250 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "browserstack-gprs-lossy.json", "BrowserStack GPRS Lossy",
            downlink: "2 % lost, 325 ms delay, 30 kbit/s", uplink: "2 % lost, 325 ms delay, 20 kbit/s", dns: "-",
            json: "{\n  \"name\": \"BrowserStack GPRS Lossy\",\n  \"summary\": \"GPRS with loss\",\n  \"source\": \"BrowserStack's documentation, simulate network conditions, 2g-gprs-lossy; that 650 ms is RTT, half each way, and that the loss holds for each way are judgement\",\n  \"downlink\": { \"rate\": \"30 kbit/s\", \"delay\": \"325 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"20 kbit/s\", \"delay\": \"325 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "bufferbloat-cable.json", "Bufferbloat Cable",
            downlink: "2 ms delay, 6 Mbit/s, queue of 1 s", uplink: "2 ms delay, 1 Mbit/s, queue of 1 s", dns: "-",
            json: "{\n  \"name\": \"Bufferbloat Cable\",\n  \"summary\": \"Cable broadband with a buffer far too large\",\n  \"source\": \"Rates and delays as in Cable Modem; queue of 1 s from the bufferbloated range of the RMCAT tests (RFC 8868), 1 to 2 s\",\n  \"downlink\": { \"rate\": \"6 Mbit/s\", \"delay\": \"2 ms\", \"queue\": \"1 s\" },\n  \"uplink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"2 ms\", \"queue\": \"1 s\" }\n}\n"
        ),
        BuiltInProfile(
            "bufferbloat-dsl.json", "Bufferbloat DSL",
            downlink: "5 ms delay, 2 Mbit/s, queue of 1 s", uplink: "5 ms delay, 256 kbit/s, queue of 1 s", dns: "-",
            json: "{\n  \"name\": \"Bufferbloat DSL\",\n  \"summary\": \"Telephone-line broadband with a buffer far too large\",\n  \"source\": \"Rates and delays as in DSL; queue of 1 s from the bufferbloated range of the RMCAT tests (RFC 8868), 1 to 2 s\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"5 ms\", \"queue\": \"1 s\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"5 ms\", \"queue\": \"1 s\" }\n}\n"
        ),
        BuiltInProfile(
            "cable-modem.json", "Cable Modem",
            downlink: "2 ms delay, 6 Mbit/s", uplink: "2 ms delay, 1 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Cable Modem\",\n  \"summary\": \"Cable broadband, older Apple set\",\n  \"source\": \"ATC's Cable; that Apple's figures are the same is judgement\",\n  \"downlink\": { \"rate\": \"6 Mbit/s\", \"delay\": \"2 ms\" },\n  \"uplink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"2 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "cellular-bursty.json", "Cellular Bursty",
            downlink: "1.96 % lost in bursts (p 1 %, r 50 %, 100 % in bad, 0 % in good)", uplink: "1.96 % lost in bursts (p 1 %, r 50 %, 100 % in bad, 0 % in good)", dns: "-",
            json: "{\n  \"name\": \"Cellular Bursty\",\n  \"summary\": \"Bursts of loss as on a mobile network, 2 % on average\",\n  \"source\": \"algesten/str0m, crates/netem/src/config.rs, cellular: its author's judgement, not a measurement\",\n  \"downlink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"1 %\", \"r\": \"50 %\" } } },\n  \"uplink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"1 %\", \"r\": \"50 %\" } } }\n}\n"
        ),
        BuiltInProfile(
            "chrome-fast-4g.json", "Chrome Fast 4G",
            downlink: "30 ms delay, 9 Mbit/s", uplink: "30 ms delay, 1.5 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Chrome Fast 4G\",\n  \"summary\": \"Good mobile network\",\n  \"source\": \"Chrome DevTools presets as in puppeteer, PredefinedNetworkConditions.ts: 60 ms read as RTT, half each way; the browser itself delays requests, not packets, with other factors\",\n  \"downlink\": { \"rate\": \"9 Mbit/s\", \"delay\": \"30 ms\" },\n  \"uplink\": { \"rate\": \"1.5 Mbit/s\", \"delay\": \"30 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "chrome-slow-3g.json", "Chrome Slow 3G",
            downlink: "200 ms delay, 500 kbit/s", uplink: "200 ms delay, 500 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Chrome Slow 3G\",\n  \"summary\": \"Slow mobile network; newer versions call it 3G\",\n  \"source\": \"Chrome DevTools presets as in puppeteer, PredefinedNetworkConditions.ts: 400 ms read as RTT, half each way; the browser itself delays requests, not packets, with other factors\",\n  \"downlink\": { \"rate\": \"500 kbit/s\", \"delay\": \"200 ms\" },\n  \"uplink\": { \"rate\": \"500 kbit/s\", \"delay\": \"200 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "chrome-slow-4g.json", "Chrome Slow 4G",
            downlink: "75 ms delay, 1.6 Mbit/s", uplink: "75 ms delay, 750 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Chrome Slow 4G\",\n  \"summary\": \"Slow 4G; older versions call it Fast 3G\",\n  \"source\": \"Chrome DevTools presets as in puppeteer, PredefinedNetworkConditions.ts: 150 ms read as RTT, half each way; the browser itself delays requests, not packets, with other factors\",\n  \"downlink\": { \"rate\": \"1.6 Mbit/s\", \"delay\": \"75 ms\" },\n  \"uplink\": { \"rate\": \"750 kbit/s\", \"delay\": \"75 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-3g.json", "Comcast 3G",
            downlink: "1.5 % lost, 250 ms delay, 750 kbit/s", uplink: "1.5 % lost, 250 ms delay, 750 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast 3G\",\n  \"summary\": \"Good 3G\",\n  \"source\": \"tylertreat/comcast, README, 145d021, 3G/HSDPA (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"750 kbit/s\", \"delay\": \"250 ms\", \"loss\": \"1.5 %\" },\n  \"uplink\": { \"rate\": \"750 kbit/s\", \"delay\": \"250 ms\", \"loss\": \"1.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-dial-up.json", "Comcast Dial-Up",
            downlink: "2 % lost, 185 ms delay, 40 kbit/s", uplink: "2 % lost, 185 ms delay, 40 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast Dial-Up\",\n  \"summary\": \"Good telephone modem\",\n  \"source\": \"tylertreat/comcast, README, 145d021, DIAL-UP (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"40 kbit/s\", \"delay\": \"185 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"40 kbit/s\", \"delay\": \"185 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-dsl-good.json", "Comcast DSL Good",
            downlink: "0.5 % lost, 40 ms delay, 8 Mbit/s", uplink: "0.5 % lost, 40 ms delay, 8 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast DSL Good\",\n  \"summary\": \"Good telephone-line broadband\",\n  \"source\": \"tylertreat/comcast, README, 145d021, DSL (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"8 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.5 %\" },\n  \"uplink\": { \"rate\": \"8 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-dsl-poor.json", "Comcast DSL Poor",
            downlink: "2 % lost, 70 ms delay, 2 Mbit/s", uplink: "2 % lost, 70 ms delay, 2 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast DSL Poor\",\n  \"summary\": \"Poor telephone-line broadband\",\n  \"source\": \"tylertreat/comcast, README, 145d021, DSL (poor): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"70 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"70 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-edge.json", "Comcast Edge",
            downlink: "1.5 % lost, 300 ms delay, 250 kbit/s", uplink: "1.5 % lost, 300 ms delay, 250 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast Edge\",\n  \"summary\": \"Good EDGE\",\n  \"source\": \"tylertreat/comcast, README, 145d021, EDGE (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"250 kbit/s\", \"delay\": \"300 ms\", \"loss\": \"1.5 %\" },\n  \"uplink\": { \"rate\": \"250 kbit/s\", \"delay\": \"300 ms\", \"loss\": \"1.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-gprs.json", "Comcast GPRS",
            downlink: "2 % lost, 500 ms delay, 50 kbit/s", uplink: "2 % lost, 500 ms delay, 50 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast GPRS\",\n  \"summary\": \"Good GPRS\",\n  \"source\": \"tylertreat/comcast, README, 145d021, GPRS (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"50 kbit/s\", \"delay\": \"500 ms\", \"loss\": \"2 %\" },\n  \"uplink\": { \"rate\": \"50 kbit/s\", \"delay\": \"500 ms\", \"loss\": \"2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-starlink.json", "Comcast Starlink",
            downlink: "2.5 % lost, 20 ms delay", uplink: "2.5 % lost, 20 ms delay", dns: "-",
            json: "{\n  \"name\": \"Comcast Starlink\",\n  \"summary\": \"Low-orbit satellite, delay and loss only\",\n  \"source\": \"tylertreat/comcast, README, 145d021, Starlink: its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"delay\": \"20 ms\", \"loss\": \"2.5 %\" },\n  \"uplink\": { \"delay\": \"20 ms\", \"loss\": \"2.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "comcast-wi-fi.json", "Comcast Wi-Fi",
            downlink: "0.2 % lost, 40 ms delay, 30 Mbit/s", uplink: "0.2 % lost, 40 ms delay, 30 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Comcast Wi-Fi\",\n  \"summary\": \"Good wireless LAN\",\n  \"source\": \"tylertreat/comcast, README, 145d021, WIFI (good): its figures are informal and given once for both ways; the tool delays outgoing packets only, the same for the downlink is judgement\",\n  \"downlink\": { \"rate\": \"30 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.2 %\" },\n  \"uplink\": { \"rate\": \"30 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "congested.json", "Congested",
            downlink: "9.09 % lost in bursts (p 5 %, r 50 %, 100 % in bad, 0 % in good)", uplink: "9.09 % lost in bursts (p 5 %, r 50 %, 100 % in bad, 0 % in good)", dns: "-",
            json: "{\n  \"name\": \"Congested\",\n  \"summary\": \"Bursts of loss as on a congested link, 9.1 % on average\",\n  \"source\": \"algesten/str0m, crates/netem/src/config.rs, congested: its author's judgement, not a measurement\",\n  \"downlink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"5 %\", \"r\": \"50 %\" } } },\n  \"uplink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"5 %\", \"r\": \"50 %\" } } }\n}\n"
        ),
        BuiltInProfile(
            "dsl.json", "DSL",
            downlink: "5 ms delay, 2 Mbit/s", uplink: "5 ms delay, 256 kbit/s", dns: "-",
            json: "{\n  \"name\": \"DSL\",\n  \"summary\": \"Telephone-line broadband\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values; the same in ATC's DSL\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"5 ms\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "edge-average.json", "Edge Average",
            downlink: "400 ms delay, 240 kbit/s", uplink: "440 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Edge Average\",\n  \"summary\": \"EDGE, average case, older Apple set\",\n  \"source\": \"ATC's Edge Average and an ipfw script that imitates Apple's tool on OS X 10.8\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"400 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"440 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "edge-good.json", "Edge Good",
            downlink: "350 ms delay, 250 kbit/s", uplink: "370 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Edge Good\",\n  \"summary\": \"EDGE with good connectivity, older Apple set\",\n  \"source\": \"ATC's Edge Good and an ipfw script that imitates Apple's tool on OS X 10.8\",\n  \"downlink\": { \"rate\": \"250 kbit/s\", \"delay\": \"350 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"370 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "edge-lossy.json", "Edge Lossy",
            downlink: "1 % lost, 400 ms delay, 240 kbit/s", uplink: "1 % lost, 440 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Edge Lossy\",\n  \"summary\": \"EDGE with loss, older Apple set\",\n  \"source\": \"ATC's Edge Lossy and an ipfw script that imitates Apple's tool on OS X 10.8; the script has no uplink loss where ATC has 1 %\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"400 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"440 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "edge.json", "Edge",
            downlink: "400 ms delay, 240 kbit/s", uplink: "440 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Edge\",\n  \"summary\": \"Second-generation mobile network with EDGE\",\n  \"source\": \"ATC's Edge Average and an ipfw script that imitates Apple's tool on OS X 10.8; WebPageTest's Edge has their sum, 840 ms, as RTT\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"400 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"440 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firebase-gsm-poor.json", "Firebase GSM Poor",
            downlink: "10 % lost, 600 ms delay, 2.4 kbit/s", uplink: "10 % lost, 600 ms delay, 2.4 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firebase GSM Poor\",\n  \"summary\": \"Poor GSM\",\n  \"source\": \"gcloud's list of Firebase Test Lab network profiles, as pasted in mozilla-mobile/firefox-android#5174, GSM-poor\",\n  \"downlink\": { \"rate\": \"2.4 kbit/s\", \"delay\": \"600 ms\", \"loss\": \"10 %\" },\n  \"uplink\": { \"rate\": \"2.4 kbit/s\", \"delay\": \"600 ms\", \"loss\": \"10 %\" }\n}\n"
        ),
        BuiltInProfile(
            "firebase-lte.json", "Firebase LTE",
            downlink: "0.1 % lost, 40 ms delay, 16 Mbit/s", uplink: "0.1 % lost, 40 ms delay, 16 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Firebase LTE\",\n  \"summary\": \"LTE with a little loss\",\n  \"source\": \"gcloud's list of Firebase Test Lab network profiles, as pasted in mozilla-mobile/firefox-android#5174, LTE\",\n  \"downlink\": { \"rate\": \"16 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.1 %\" },\n  \"uplink\": { \"rate\": \"16 Mbit/s\", \"delay\": \"40 ms\", \"loss\": \"0.1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-dsl.json", "Firefox DSL",
            downlink: "2.5 ms delay, 2.097152 Mbit/s", uplink: "2.5 ms delay, 1.048576 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox DSL\",\n  \"summary\": \"Telephone-line broadband\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 2048 and 1024 Kibit/s; 5 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"2097.152 kbit/s\", \"delay\": \"2.5 ms\" },\n  \"uplink\": { \"rate\": \"1048.576 kbit/s\", \"delay\": \"2.5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-good-2g.json", "Firefox Good 2G",
            downlink: "75 ms delay, 460.8 kbit/s", uplink: "75 ms delay, 153.6 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Good 2G\",\n  \"summary\": \"Good 2G\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 450 and 150 Kibit/s; 150 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"460.8 kbit/s\", \"delay\": \"75 ms\" },\n  \"uplink\": { \"rate\": \"153.6 kbit/s\", \"delay\": \"75 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-good-3g.json", "Firefox Good 3G",
            downlink: "20 ms delay, 1.572864 Mbit/s", uplink: "20 ms delay, 768 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Good 3G\",\n  \"summary\": \"Good 3G\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 1536 and 750 Kibit/s; 40 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"1572.864 kbit/s\", \"delay\": \"20 ms\" },\n  \"uplink\": { \"rate\": \"768 kbit/s\", \"delay\": \"20 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-gprs.json", "Firefox GPRS",
            downlink: "250 ms delay, 51.2 kbit/s", uplink: "250 ms delay, 20.48 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox GPRS\",\n  \"summary\": \"GPRS\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 50 and 20 Kibit/s; 500 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"51.2 kbit/s\", \"delay\": \"250 ms\" },\n  \"uplink\": { \"rate\": \"20.48 kbit/s\", \"delay\": \"250 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-regular-2g.json", "Firefox Regular 2G",
            downlink: "150 ms delay, 256 kbit/s", uplink: "150 ms delay, 51.2 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Regular 2G\",\n  \"summary\": \"2G\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 250 and 50 Kibit/s; 300 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"256 kbit/s\", \"delay\": \"150 ms\" },\n  \"uplink\": { \"rate\": \"51.2 kbit/s\", \"delay\": \"150 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-regular-3g.json", "Firefox Regular 3G",
            downlink: "50 ms delay, 768 kbit/s", uplink: "50 ms delay, 256 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Regular 3G\",\n  \"summary\": \"3G\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 750 and 250 Kibit/s; 100 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"768 kbit/s\", \"delay\": \"50 ms\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"50 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-regular-4g-lte.json", "Firefox Regular 4G LTE",
            downlink: "10 ms delay, 4.194304 Mbit/s", uplink: "10 ms delay, 3.145728 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Regular 4G LTE\",\n  \"summary\": \"4G\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 4096 and 3072 Kibit/s; 20 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"4194.304 kbit/s\", \"delay\": \"10 ms\" },\n  \"uplink\": { \"rate\": \"3145.728 kbit/s\", \"delay\": \"10 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "firefox-wi-fi.json", "Firefox Wi-Fi",
            downlink: "1 ms delay, 31.45728 Mbit/s", uplink: "1 ms delay, 15.72864 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Firefox Wi-Fi\",\n  \"summary\": \"Wireless LAN\",\n  \"source\": \"mozilla/gecko-dev, throttling/profiles.js, 1e270ca: 30720 and 15360 Kibit/s; 2 ms read as RTT, half each way; the browser itself delays requests, not packets\",\n  \"downlink\": { \"rate\": \"31457.28 kbit/s\", \"delay\": \"1 ms\" },\n  \"uplink\": { \"rate\": \"15728.64 kbit/s\", \"delay\": \"1 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "geo-propagation-only.json", "GEO Propagation Only",
            downlink: "279 ms delay", uplink: "279 ms delay", dns: "-",
            json: "{\n  \"name\": \"GEO Propagation Only\",\n  \"summary\": \"One hop over a geostationary satellite, distance only\",\n  \"source\": \"RFC 2488 section 2: 279.0 ms one way at the edge of the covered area\",\n  \"downlink\": { \"delay\": \"279 ms\" },\n  \"uplink\": { \"delay\": \"279 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "geo-satellite.json", "GEO Satellite",
            downlink: "341.5 ms delay, 47.79 Mbit/s", uplink: "341.5 ms delay, 3 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"GEO Satellite\",\n  \"summary\": \"Geostationary satellite broadband\",\n  \"source\": \"Ookla, first quarter of 2025, as cited in donislawdev/BeanNetworkTester, presets.py: HughesNet's median downlink and RTT 683 ms, half each way; the uplink rate is judgement\",\n  \"downlink\": { \"rate\": \"47.79 Mbit/s\", \"delay\": \"341.5 ms\" },\n  \"uplink\": { \"rate\": \"3 Mbit/s\", \"delay\": \"341.5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "high-latency-dns.json", "High Latency DNS",
            downlink: "-", uplink: "-", dns: "+ 3 s",
            json: "{\n  \"name\": \"High Latency DNS\",\n  \"summary\": \"Slow name resolution on an untouched link\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values\",\n  \"dns\": { \"delay\": \"3 s\" }\n}\n"
        ),
        BuiltInProfile(
            "hsdpa-bus.json", "HSDPA Bus",
            downlink: "2.25 Mbit/s", uplink: "-", dns: "-",
            json: "{\n  \"name\": \"HSDPA Bus\",\n  \"summary\": \"3G in a bus, at its median\",\n  \"source\": \"Computed from confiwent/Real-world-bandwidth-traces, Norway, 19 files: median downlink rate (5 % to 95 %: 0.79 to 4.5 Mbit/s); no uplink rate, no delays\",\n  \"downlink\": { \"rate\": \"2.25 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "hsdpa-train.json", "HSDPA Train",
            downlink: "1.73 Mbit/s", uplink: "-", dns: "-",
            json: "{\n  \"name\": \"HSDPA Train\",\n  \"summary\": \"3G in a train, at its median\",\n  \"source\": \"Computed from confiwent/Real-world-bandwidth-traces, Norway, 12 files: median downlink rate (5 % to 95 %: 0.63 to 3.25 Mbit/s); no uplink rate, no delays\",\n  \"downlink\": { \"rate\": \"1.73 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "hsdpa-tram.json", "HSDPA Tram",
            downlink: "1.02 Mbit/s", uplink: "-", dns: "-",
            json: "{\n  \"name\": \"HSDPA Tram\",\n  \"summary\": \"3G in a tram, at its median\",\n  \"source\": \"Computed from confiwent/Real-world-bandwidth-traces, Norway, 34 files: median downlink rate (5 % to 95 %: 0.41 to 1.93 Mbit/s); no uplink rate, no delays\",\n  \"downlink\": { \"rate\": \"1.02 Mbit/s\" }\n}\n"
        ),
        BuiltInProfile(
            "in-flight-air-to-ground.json", "In-Flight Air-to-Ground",
            downlink: "3.3 % lost in bursts of 3 packets, 100 ms delay, 2 Mbit/s", uplink: "3.3 % lost in bursts of 3 packets, 100 ms delay, 500 kbit/s", dns: "-",
            json: "{\n  \"name\": \"In-Flight Air-to-Ground\",\n  \"summary\": \"Aeroplane Wi-Fi over masts on the ground\",\n  \"source\": \"Rula et al., WWW 2018, as cited in donislawdev/BeanNetworkTester: RTT 200 ms, half each way, 3.3 % loss; the same loss each way, bursts of 3 packets and the rates are judgement\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"100 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"3.3 %\", \"burst\": 3 } } },\n  \"uplink\": { \"rate\": \"500 kbit/s\", \"delay\": \"100 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"3.3 %\", \"burst\": 3 } } }\n}\n"
        ),
        BuiltInProfile(
            "in-flight-satellite.json", "In-Flight Satellite",
            downlink: "7 % lost in bursts of 4 packets, 375 ms delay, 2 Mbit/s", uplink: "7 % lost in bursts of 4 packets, 375 ms delay, 500 kbit/s", dns: "-",
            json: "{\n  \"name\": \"In-Flight Satellite\",\n  \"summary\": \"Aeroplane Wi-Fi over a satellite\",\n  \"source\": \"Rula et al., WWW 2018, as cited in donislawdev/BeanNetworkTester: RTT 750 ms, half each way, 7 % loss; the same loss each way, bursts of 4 packets and the rates are judgement\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"375 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"7 %\", \"burst\": 4 } } },\n  \"uplink\": { \"rate\": \"500 kbit/s\", \"delay\": \"375 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"7 %\", \"burst\": 4 } } }\n}\n"
        ),
        BuiltInProfile(
            "irish-5g-driving.json", "Irish 5G Driving",
            downlink: "40 ms delay, 8.06 Mbit/s", uplink: "40 ms delay", dns: "-",
            json: "{\n  \"name\": \"Irish 5G Driving\",\n  \"summary\": \"5G from a moving car, at its median\",\n  \"source\": \"Computed from uccmisl/5Gdataset, downloads of 2019 and 2020: median rate (quartiles 2.3 and 19.5 Mbit/s), median RTT 80 ms, half each way; no uplink rate\",\n  \"downlink\": { \"rate\": \"8.06 Mbit/s\", \"delay\": \"40 ms\" },\n  \"uplink\": { \"delay\": \"40 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "lighthouse-desktop-dense-4g.json", "Lighthouse Desktop Dense 4G",
            downlink: "20 ms delay, 10.24 Mbit/s", uplink: "20 ms delay, 10.24 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Lighthouse Desktop Dense 4G\",\n  \"summary\": \"Lighthouse's default for desktop pages\",\n  \"source\": \"Lighthouse constants (lantern Constants.ts), desktopDense4G: RTT 40 ms, half each way; the rate is given once, the same for the uplink is judgement\",\n  \"downlink\": { \"rate\": \"10.24 Mbit/s\", \"delay\": \"20 ms\" },\n  \"uplink\": { \"rate\": \"10.24 Mbit/s\", \"delay\": \"20 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "lighthouse-regular-3g.json", "Lighthouse Regular 3G",
            downlink: "150 ms delay, 700 kbit/s", uplink: "150 ms delay, 700 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Lighthouse Regular 3G\",\n  \"summary\": \"Mobile pages on 3G\",\n  \"source\": \"Lighthouse constants (lantern Constants.ts), mobileRegular3G: RTT 300 ms, half each way\",\n  \"downlink\": { \"rate\": \"700 kbit/s\", \"delay\": \"150 ms\" },\n  \"uplink\": { \"rate\": \"700 kbit/s\", \"delay\": \"150 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "lighthouse-slow-4g.json", "Lighthouse Slow 4G",
            downlink: "75 ms delay, 1.6384 Mbit/s", uplink: "75 ms delay, 750 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Lighthouse Slow 4G\",\n  \"summary\": \"Lighthouse's default for mobile pages\",\n  \"source\": \"Lighthouse constants (lantern Constants.ts), mobileSlow4G: RTT 150 ms, half each way; 1638.4 kbit/s is 1.6 x 1024\",\n  \"downlink\": { \"rate\": \"1638.4 kbit/s\", \"delay\": \"75 ms\" },\n  \"uplink\": { \"rate\": \"750 kbit/s\", \"delay\": \"75 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-3.5g.json", "Loadero 3.5G",
            downlink: "0.5 % lost, 150 ms delay, ± 10 ms jitter, 20 Mbit/s", uplink: "0.5 % lost, 150 ms delay, ± 10 ms jitter, 10 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero 3.5G\",\n  \"summary\": \"HSDPA with jitter\",\n  \"source\": \"wiki.loadero.com, network conditions; that the jitter is uniform is judgement\",\n  \"downlink\": { \"rate\": \"20 Mbit/s\", \"delay\": \"150 ms\", \"jitter\": \"10 ms\", \"loss\": \"0.5 %\" },\n  \"uplink\": { \"rate\": \"10 Mbit/s\", \"delay\": \"150 ms\", \"jitter\": \"10 ms\", \"loss\": \"0.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-3g.json", "Loadero 3G",
            downlink: "0.5 % lost, 250 ms delay, ± 50 ms jitter, 1.2 Mbit/s", uplink: "0.5 % lost, 250 ms delay, ± 50 ms jitter, 1.2 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero 3G\",\n  \"summary\": \"3G with jitter\",\n  \"source\": \"wiki.loadero.com, network conditions; that the jitter is uniform is judgement\",\n  \"downlink\": { \"rate\": \"1.2 Mbit/s\", \"delay\": \"250 ms\", \"jitter\": \"50 ms\", \"loss\": \"0.5 %\" },\n  \"uplink\": { \"rate\": \"1.2 Mbit/s\", \"delay\": \"250 ms\", \"jitter\": \"50 ms\", \"loss\": \"0.5 %\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-4g.json", "Loadero 4G",
            downlink: "0.2 % lost, 45 ms delay, ± 5 ms jitter, 100 Mbit/s", uplink: "0.2 % lost, 45 ms delay, ± 15 ms jitter, 50 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero 4G\",\n  \"summary\": \"4G with jitter\",\n  \"source\": \"wiki.loadero.com, network conditions; that the jitter is uniform is judgement\",\n  \"downlink\": { \"rate\": \"100 Mbit/s\", \"delay\": \"45 ms\", \"jitter\": \"5 ms\", \"loss\": \"0.2 %\" },\n  \"uplink\": { \"rate\": \"50 Mbit/s\", \"delay\": \"45 ms\", \"jitter\": \"15 ms\", \"loss\": \"0.2 %\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-edge.json", "Loadero Edge",
            downlink: "1 % lost, 650 ms delay, ± 100 ms jitter, 200 kbit/s", uplink: "1 % lost, 650 ms delay, ± 100 ms jitter, 260 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero Edge\",\n  \"summary\": \"EDGE with jitter\",\n  \"source\": \"wiki.loadero.com, network conditions; that the jitter is uniform is judgement; the uplink is above the downlink as printed there\",\n  \"downlink\": { \"rate\": \"200 kbit/s\", \"delay\": \"650 ms\", \"jitter\": \"100 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"260 kbit/s\", \"delay\": \"650 ms\", \"jitter\": \"100 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-gprs.json", "Loadero GPRS",
            downlink: "1 % lost, 650 ms delay, ± 100 ms jitter, 80 kbit/s", uplink: "1 % lost, 650 ms delay, ± 100 ms jitter, 20 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero GPRS\",\n  \"summary\": \"GPRS with jitter\",\n  \"source\": \"wiki.loadero.com, network conditions; that the jitter is uniform is judgement\",\n  \"downlink\": { \"rate\": \"80 kbit/s\", \"delay\": \"650 ms\", \"jitter\": \"100 ms\", \"loss\": \"1 %\" },\n  \"uplink\": { \"rate\": \"20 kbit/s\", \"delay\": \"650 ms\", \"jitter\": \"100 ms\", \"loss\": \"1 %\" }\n}\n"
        ),
        BuiltInProfile(
            "loadero-satellite-phone.json", "Loadero Satellite Phone",
            downlink: "600 ms delay, 1 Mbit/s", uplink: "600 ms delay, 256 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Loadero Satellite Phone\",\n  \"summary\": \"Telephone by satellite\",\n  \"source\": \"wiki.loadero.com, network conditions\",\n  \"downlink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"600 ms\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"600 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "lte.json", "LTE",
            downlink: "50 ms delay, 50 Mbit/s", uplink: "65 ms delay, 10 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"LTE\",\n  \"summary\": \"Fourth-generation mobile network\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values\",\n  \"downlink\": { \"rate\": \"50 Mbit/s\", \"delay\": \"50 ms\" },\n  \"uplink\": { \"rate\": \"10 Mbit/s\", \"delay\": \"65 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "nasty-net.json", "Nasty Net",
            downlink: "90 % lost, 100 ms delay, 32 kbit/s", uplink: "90 % lost, 100 ms delay, 32 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Nasty Net\",\n  \"summary\": \"Slow Net that also loses 90 % of the packets each way\",\n  \"source\": \"useyourloaf.com, Network Link Conditioner, 2012: 90 % loss each way is stated; rates and delays are a reading of the text, which calls it a step beyond Slow Net\",\n  \"downlink\": { \"rate\": \"32 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"90 %\" },\n  \"uplink\": { \"rate\": \"32 kbit/s\", \"delay\": \"100 ms\", \"loss\": \"90 %\" }\n}\n"
        ),
        BuiltInProfile(
            "rmcat-5.1-variable-capacity.json", "RMCAT 5.1 Variable Capacity",
            downlink: "50 ms delay, 1 Mbit/s, queue of 300 ms, changing with time", uplink: "50 ms delay", dns: "-",
            json: "{\n  \"name\": \"RMCAT 5.1 Variable Capacity\",\n  \"summary\": \"Capacity that changes three times, for one media flow\",\n  \"source\": \"RFC 8867 section 5.1, steps as in cisco/ns3-rmcat, rmcat-wired-test-suite.cc, which has no jitter; the forward path as downlink is judgement\",\n  \"downlink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"50 ms\", \"queue\": \"300 ms\" },\n  \"uplink\": { \"delay\": \"50 ms\" },\n  \"schedule\": {\n    \"steps\": [\n      { \"at\": \"40 s\", \"downlink\": { \"rate\": \"2.5 Mbit/s\" } },\n      { \"at\": \"60 s\", \"downlink\": { \"rate\": \"600 kbit/s\" } },\n      { \"at\": \"80 s\", \"downlink\": { \"rate\": \"1 Mbit/s\" } }\n    ],\n    \"repeat\": \"100 s\"\n  }\n}\n"
        ),
        BuiltInProfile(
            "rmcat-5.2-variable-capacity.json", "RMCAT 5.2 Variable Capacity",
            downlink: "50 ms delay, 4 Mbit/s, queue of 300 ms, changing with time", uplink: "50 ms delay", dns: "-",
            json: "{\n  \"name\": \"RMCAT 5.2 Variable Capacity\",\n  \"summary\": \"Capacity that changes four times, for several media flows\",\n  \"source\": \"RFC 8867 section 5.2, steps as in cisco/ns3-rmcat, rmcat-wired-test-suite.cc, which has no jitter; the forward path as downlink is judgement\",\n  \"downlink\": { \"rate\": \"4 Mbit/s\", \"delay\": \"50 ms\", \"queue\": \"300 ms\" },\n  \"uplink\": { \"delay\": \"50 ms\" },\n  \"schedule\": {\n    \"steps\": [\n      { \"at\": \"25 s\", \"downlink\": { \"rate\": \"2 Mbit/s\" } },\n      { \"at\": \"50 s\", \"downlink\": { \"rate\": \"3.5 Mbit/s\" } },\n      { \"at\": \"75 s\", \"downlink\": { \"rate\": \"1 Mbit/s\" } },\n      { \"at\": \"100 s\", \"downlink\": { \"rate\": \"2 Mbit/s\" } }\n    ],\n    \"repeat\": \"125 s\"\n  }\n}\n"
        ),
        BuiltInProfile(
            "rmcat-5.3-congested-feedback.json", "RMCAT 5.3 Congested Feedback",
            downlink: "50 ms delay, 2 Mbit/s, queue of 300 ms, changing with time", uplink: "50 ms delay, 2 Mbit/s, queue of 300 ms, changing with time", dns: "-",
            json: "{\n  \"name\": \"RMCAT 5.3 Congested Feedback\",\n  \"summary\": \"Capacity that changes both ways, at different times\",\n  \"source\": \"RFC 8867 section 5.3, steps as in cisco/ns3-rmcat, rmcat-wired-test-suite.cc, which has no jitter; the forward path as downlink is judgement\",\n  \"downlink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"50 ms\", \"queue\": \"300 ms\" },\n  \"uplink\": { \"rate\": \"2 Mbit/s\", \"delay\": \"50 ms\", \"queue\": \"300 ms\" },\n  \"schedule\": {\n    \"steps\": [\n      { \"at\": \"20 s\", \"downlink\": { \"rate\": \"1 Mbit/s\" }, \"uplink\": { \"rate\": \"2 Mbit/s\" } },\n      { \"at\": \"35 s\", \"downlink\": { \"rate\": \"1 Mbit/s\" }, \"uplink\": { \"rate\": \"800 kbit/s\" } },\n      { \"at\": \"40 s\", \"downlink\": { \"rate\": \"500 kbit/s\" }, \"uplink\": { \"rate\": \"800 kbit/s\" } },\n      { \"at\": \"60 s\", \"downlink\": { \"rate\": \"2 Mbit/s\" }, \"uplink\": { \"rate\": \"800 kbit/s\" } },\n      { \"at\": \"70 s\", \"downlink\": { \"rate\": \"2 Mbit/s\" }, \"uplink\": { \"rate\": \"2 Mbit/s\" } }\n    ],\n    \"repeat\": \"100 s\"\n  }\n}\n"
        ),
        BuiltInProfile(
            "rmcat-default.json", "RMCAT Default",
            downlink: "50 ms delay, ± 15 ms jitter, normal, 4 Mbit/s, queue of 300 ms", uplink: "50 ms delay, ± 15 ms jitter, normal, 4 Mbit/s, queue of 300 ms", dns: "-",
            json: "{\n  \"name\": \"RMCAT Default\",\n  \"summary\": \"Default path of the tests for interactive media\",\n  \"source\": \"RFC 8867 as in webrtc's bwe_test.h and cisco/ns3-rmcat: truncated Gaussian jitter of 30 ms at most, read as two standard deviations, without reordering\",\n  \"downlink\": { \"rate\": \"4 Mbit/s\", \"delay\": \"50 ms\", \"jitter\": { \"amount\": \"15 ms\", \"distribution\": \"normal\", \"ordered\": true }, \"queue\": \"300 ms\" },\n  \"uplink\": { \"rate\": \"4 Mbit/s\", \"delay\": \"50 ms\", \"jitter\": { \"amount\": \"15 ms\", \"distribution\": \"normal\", \"ordered\": true }, \"queue\": \"300 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "satellite-bursty.json", "Satellite Bursty",
            downlink: "2.91 % lost in bursts (p 1 %, r 33.33 %, 100 % in bad, 0 % in good)", uplink: "2.91 % lost in bursts (p 1 %, r 33.33 %, 100 % in bad, 0 % in good)", dns: "-",
            json: "{\n  \"name\": \"Satellite Bursty\",\n  \"summary\": \"Bursts of loss as over a satellite, 2.9 % on average\",\n  \"source\": \"algesten/str0m, crates/netem/src/config.rs, satellite: its author's judgement, not a measurement\",\n  \"downlink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"1 %\", \"r\": \"33.33 %\" } } },\n  \"uplink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"1 %\", \"r\": \"33.33 %\" } } }\n}\n"
        ),
        BuiltInProfile(
            "sitespeed-3g.json", "Sitespeed 3G",
            downlink: "75 ms delay, 1.6 Mbit/s", uplink: "75 ms delay, 768 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Sitespeed 3G\",\n  \"summary\": \"3G with half of WebPageTest's delay\",\n  \"source\": \"sitespeedio/throttle, bin/index.js, 2550909, 3g: RTT 150 ms, half each way as its code does\",\n  \"downlink\": { \"rate\": \"1.6 Mbit/s\", \"delay\": \"75 ms\" },\n  \"uplink\": { \"rate\": \"768 kbit/s\", \"delay\": \"75 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "sitespeed-edge.json", "Sitespeed Edge",
            downlink: "210 ms delay, 240 kbit/s", uplink: "210 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"Sitespeed Edge\",\n  \"summary\": \"EDGE with half of WebPageTest's delay\",\n  \"source\": \"sitespeedio/throttle, bin/index.js, 2550909, edge: RTT 420 ms, half each way as its code does\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"210 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"210 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "sitespeed-lte.json", "Sitespeed LTE",
            downlink: "17.5 ms delay, 12 Mbit/s", uplink: "17.5 ms delay, 12 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Sitespeed LTE\",\n  \"summary\": \"LTE with half of WebPageTest's delay\",\n  \"source\": \"sitespeedio/throttle, bin/index.js, 2550909, lte: RTT 35 ms, half each way as its code does\",\n  \"downlink\": { \"rate\": \"12 Mbit/s\", \"delay\": \"17.5 ms\" },\n  \"uplink\": { \"rate\": \"12 Mbit/s\", \"delay\": \"17.5 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "slow-net.json", "Slow Net",
            downlink: "100 ms delay, 32 kbit/s", uplink: "100 ms delay, 32 kbit/s", dns: "+ 200 ms",
            json: "{\n  \"name\": \"Slow Net\",\n  \"summary\": \"Very limited bandwidth\",\n  \"source\": \"useyourloaf.com, Network Link Conditioner, 2012\",\n  \"downlink\": { \"rate\": \"32 kbit/s\", \"delay\": \"100 ms\" },\n  \"uplink\": { \"rate\": \"32 kbit/s\", \"delay\": \"100 ms\" },\n  \"dns\": { \"delay\": \"200 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "starlink-germany-driving.json", "Starlink Germany Driving",
            downlink: "1.95 % lost in bursts of 5 packets, 29.65 ms delay", uplink: "1.95 % lost in bursts of 5 packets, 29.65 ms delay", dns: "-",
            json: "{\n  \"name\": \"Starlink Germany Driving\",\n  \"summary\": \"Low-orbit satellite broadband on the road, with bursts of loss\",\n  \"source\": \"Computed from sys-uos/Starlink-on-the-Road, Germany, January 2024: at 10 km/h and more, median RTT 59.3 ms, half each way, no rates; half of the pings' mean loss of 3.9 % each way and bursts of 5 packets are judgement\",\n  \"downlink\": { \"delay\": \"29.65 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"1.95 %\", \"burst\": 5 } } },\n  \"uplink\": { \"delay\": \"29.65 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"1.95 %\", \"burst\": 5 } } }\n}\n"
        ),
        BuiltInProfile(
            "starlink-germany-stationary.json", "Starlink Germany Stationary",
            downlink: "1.1 % lost in bursts of 5 packets, 28.35 ms delay, 292.1 Mbit/s", uplink: "1.1 % lost in bursts of 5 packets, 28.35 ms delay, 16.9 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Starlink Germany Stationary\",\n  \"summary\": \"Low-orbit satellite broadband at rest, with bursts of loss\",\n  \"source\": \"Computed from sys-uos/Starlink-on-the-Road, Germany, January 2024: median UDP rates, median RTT 56.7 ms, half each way; half of the pings' mean loss of 2.2 % each way and bursts of 5 packets are judgement\",\n  \"downlink\": { \"rate\": \"292.1 Mbit/s\", \"delay\": \"28.35 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"1.1 %\", \"burst\": 5 } } },\n  \"uplink\": { \"rate\": \"16.9 Mbit/s\", \"delay\": \"28.35 ms\", \"loss\": { \"gilbertElliott\": { \"loss\": \"1.1 %\", \"burst\": 5 } } }\n}\n"
        ),
        BuiltInProfile(
            "starlink-steady.json", "Starlink Steady",
            downlink: "22.5 ms delay, 104.71 Mbit/s, queue of 4 MB", uplink: "22.5 ms delay, 14.84 Mbit/s, queue of 560 kB", dns: "-",
            json: "{\n  \"name\": \"Starlink Steady\",\n  \"summary\": \"Starlink without its pauses\",\n  \"source\": \"Ookla, first quarter of 2025, as cited in donislawdev/BeanNetworkTester, presets.py: medians in the USA, RTT 45 ms, half each way; queues are judgement, 300 ms at the rate\",\n  \"downlink\": { \"rate\": \"104.71 Mbit/s\", \"delay\": \"22.5 ms\", \"queue\": \"4 MB\" },\n  \"uplink\": { \"rate\": \"14.84 Mbit/s\", \"delay\": \"22.5 ms\", \"queue\": \"560 kB\" }\n}\n"
        ),
        BuiltInProfile(
            "starlink.json", "Starlink",
            downlink: "22.5 ms delay, 104.71 Mbit/s, queue of 4 MB, changing with time", uplink: "22.5 ms delay, 14.84 Mbit/s, queue of 560 kB, changing with time", dns: "-",
            json: "{\n  \"name\": \"Starlink\",\n  \"summary\": \"Low-orbit satellite broadband that pauses every 15 s\",\n  \"source\": \"Ookla, first quarter of 2025, as cited in donislawdev/BeanNetworkTester, presets.py: medians in the USA, RTT 45 ms, half each way; 100 ms of pause every 15 s from WWW'24 and CoNEXT'23 as cited there; queues are judgement, 300 ms at the rate, in bytes because the rate falls to zero\",\n  \"downlink\": { \"rate\": \"104.71 Mbit/s\", \"delay\": \"22.5 ms\", \"queue\": \"4 MB\" },\n  \"uplink\": { \"rate\": \"14.84 Mbit/s\", \"delay\": \"22.5 ms\", \"queue\": \"560 kB\" },\n  \"schedule\": {\n    \"steps\": [\n      { \"at\": \"0 ms\", \"downlink\": { \"rate\": \"0 bit/s\" }, \"uplink\": { \"rate\": \"0 bit/s\" } },\n      { \"at\": \"100 ms\", \"downlink\": { \"rate\": \"104.71 Mbit/s\" }, \"uplink\": { \"rate\": \"14.84 Mbit/s\" } }\n    ],\n    \"repeat\": \"15 s\"\n  }\n}\n"
        ),
        BuiltInProfile(
            "very-bad-network.json", "Very Bad Network",
            downlink: "10 % lost, 500 ms delay, 1 Mbit/s", uplink: "10 % lost, 500 ms delay, 1 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Very Bad Network\",\n  \"summary\": \"Slow, late and lossy both ways\",\n  \"source\": \"useprobe.app/docs/throttling, which repeats Apple's values\",\n  \"downlink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"500 ms\", \"loss\": \"10 %\" },\n  \"uplink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"500 ms\", \"loss\": \"10 %\" }\n}\n"
        ),
        BuiltInProfile(
            "viasat.json", "Viasat",
            downlink: "342 ms delay, 49.12 Mbit/s", uplink: "342 ms delay, 3 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Viasat\",\n  \"summary\": \"Geostationary satellite broadband by Viasat\",\n  \"source\": \"Ookla, first quarter of 2025, as cited in donislawdev/BeanNetworkTester, presets.py: median downlink and RTT 684 ms, half each way; the uplink rate is judgement\",\n  \"downlink\": { \"rate\": \"49.12 Mbit/s\", \"delay\": \"342 ms\" },\n  \"uplink\": { \"rate\": \"3 Mbit/s\", \"delay\": \"342 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-2g.json", "WebPageTest 2G",
            downlink: "400 ms delay, 280 kbit/s", uplink: "400 ms delay, 256 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 2G\",\n  \"summary\": \"2G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 2G: RTT 800 ms, half each way\",\n  \"downlink\": { \"rate\": \"280 kbit/s\", \"delay\": \"400 ms\" },\n  \"uplink\": { \"rate\": \"256 kbit/s\", \"delay\": \"400 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-3g-em.json", "WebPageTest 3G EM",
            downlink: "200 ms delay, 400 kbit/s", uplink: "200 ms delay, 400 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 3G EM\",\n  \"summary\": \"3G of emerging markets\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 3G_EM: RTT 400 ms, half each way\",\n  \"downlink\": { \"rate\": \"400 kbit/s\", \"delay\": \"200 ms\" },\n  \"uplink\": { \"rate\": \"400 kbit/s\", \"delay\": \"200 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-3g-fast.json", "WebPageTest 3G Fast",
            downlink: "75 ms delay, 1.6 Mbit/s", uplink: "75 ms delay, 768 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 3G Fast\",\n  \"summary\": \"Fast 3G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 3GFast: RTT 150 ms, half each way\",\n  \"downlink\": { \"rate\": \"1.6 Mbit/s\", \"delay\": \"75 ms\" },\n  \"uplink\": { \"rate\": \"768 kbit/s\", \"delay\": \"75 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-3g-slow.json", "WebPageTest 3G Slow",
            downlink: "200 ms delay, 400 kbit/s", uplink: "200 ms delay, 400 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 3G Slow\",\n  \"summary\": \"Slow 3G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 3GSlow: RTT 400 ms, half each way\",\n  \"downlink\": { \"rate\": \"400 kbit/s\", \"delay\": \"200 ms\" },\n  \"uplink\": { \"rate\": \"400 kbit/s\", \"delay\": \"200 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-3g.json", "WebPageTest 3G",
            downlink: "150 ms delay, 1.6 Mbit/s", uplink: "150 ms delay, 768 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 3G\",\n  \"summary\": \"3G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 3G: RTT 300 ms, half each way\",\n  \"downlink\": { \"rate\": \"1.6 Mbit/s\", \"delay\": \"150 ms\" },\n  \"uplink\": { \"rate\": \"768 kbit/s\", \"delay\": \"150 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-4g-fast.json", "WebPageTest 4G Fast",
            downlink: "20 ms delay, 10.24 Mbit/s", uplink: "20 ms delay, 10.24 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 4G Fast\",\n  \"summary\": \"Fast 4G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 4GFast: RTT 40 ms, half each way\",\n  \"downlink\": { \"rate\": \"10.24 Mbit/s\", \"delay\": \"20 ms\" },\n  \"uplink\": { \"rate\": \"10.24 Mbit/s\", \"delay\": \"20 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-4g.json", "WebPageTest 4G",
            downlink: "85 ms delay, 9 Mbit/s", uplink: "85 ms delay, 9 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest 4G\",\n  \"summary\": \"4G\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, 4G: RTT 170 ms, half each way\",\n  \"downlink\": { \"rate\": \"9 Mbit/s\", \"delay\": \"85 ms\" },\n  \"uplink\": { \"rate\": \"9 Mbit/s\", \"delay\": \"85 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-cable.json", "WebPageTest Cable",
            downlink: "14 ms delay, 5 Mbit/s", uplink: "14 ms delay, 1 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest Cable\",\n  \"summary\": \"Cable broadband\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, Cable: RTT 28 ms, half each way\",\n  \"downlink\": { \"rate\": \"5 Mbit/s\", \"delay\": \"14 ms\" },\n  \"uplink\": { \"rate\": \"1 Mbit/s\", \"delay\": \"14 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-dial.json", "WebPageTest Dial",
            downlink: "60 ms delay, 49 kbit/s", uplink: "60 ms delay, 30 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest Dial\",\n  \"summary\": \"Telephone modem\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, Dial: RTT 120 ms, half each way\",\n  \"downlink\": { \"rate\": \"49 kbit/s\", \"delay\": \"60 ms\" },\n  \"uplink\": { \"rate\": \"30 kbit/s\", \"delay\": \"60 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-dsl.json", "WebPageTest DSL",
            downlink: "25 ms delay, 1.5 Mbit/s", uplink: "25 ms delay, 384 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest DSL\",\n  \"summary\": \"Telephone-line broadband\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, DSL: RTT 50 ms, half each way\",\n  \"downlink\": { \"rate\": \"1.5 Mbit/s\", \"delay\": \"25 ms\" },\n  \"uplink\": { \"rate\": \"384 kbit/s\", \"delay\": \"25 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-edge.json", "WebPageTest Edge",
            downlink: "420 ms delay, 240 kbit/s", uplink: "420 ms delay, 200 kbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest Edge\",\n  \"summary\": \"EDGE\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, Edge: RTT 840 ms, half each way\",\n  \"downlink\": { \"rate\": \"240 kbit/s\", \"delay\": \"420 ms\" },\n  \"uplink\": { \"rate\": \"200 kbit/s\", \"delay\": \"420 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-fios.json", "WebPageTest FIOS",
            downlink: "2 ms delay, 20 Mbit/s", uplink: "2 ms delay, 5 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest FIOS\",\n  \"summary\": \"Fibre broadband\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, FIOS: RTT 4 ms, half each way\",\n  \"downlink\": { \"rate\": \"20 Mbit/s\", \"delay\": \"2 ms\" },\n  \"uplink\": { \"rate\": \"5 Mbit/s\", \"delay\": \"2 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-lte.json", "WebPageTest LTE",
            downlink: "35 ms delay, 12 Mbit/s", uplink: "35 ms delay, 12 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest LTE\",\n  \"summary\": \"LTE\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini.sample, 4e15783, LTE: RTT 70 ms, half each way\",\n  \"downlink\": { \"rate\": \"12 Mbit/s\", \"delay\": \"35 ms\" },\n  \"uplink\": { \"rate\": \"12 Mbit/s\", \"delay\": \"35 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "webpagetest-vdsl.json", "WebPageTest VDSL",
            downlink: "10 ms delay, 15 Mbit/s", uplink: "10 ms delay, 3 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"WebPageTest VDSL\",\n  \"summary\": \"Fast telephone-line broadband\",\n  \"source\": \"catchpoint/WebPageTest, connectivity.ini of the docker sample, 4e15783, VDSL: RTT 20 ms, half each way\",\n  \"downlink\": { \"rate\": \"15 Mbit/s\", \"delay\": \"10 ms\" },\n  \"uplink\": { \"rate\": \"3 Mbit/s\", \"delay\": \"10 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "wi-fi-802.11ac.json", "Wi-Fi 802.11ac",
            downlink: "1 ms delay, 250 Mbit/s", uplink: "1 ms delay, 100 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Wi-Fi 802.11ac\",\n  \"summary\": \"Wireless LAN of the 802.11ac kind\",\n  \"source\": \"Widely repeated, not verified against Apple's own file\",\n  \"downlink\": { \"rate\": \"250 Mbit/s\", \"delay\": \"1 ms\" },\n  \"uplink\": { \"rate\": \"100 Mbit/s\", \"delay\": \"1 ms\" }\n}\n"
        ),
        BuiltInProfile(
            "wi-fi-light-loss.json", "Wi-Fi Light Loss",
            downlink: "0.99 % lost in bursts (p 0.5 %, r 50 %, 100 % in bad, 0 % in good)", uplink: "0.99 % lost in bursts (p 0.5 %, r 50 %, 100 % in bad, 0 % in good)", dns: "-",
            json: "{\n  \"name\": \"Wi-Fi Light Loss\",\n  \"summary\": \"Bursts of loss as on a fair wireless LAN, 1 % on average\",\n  \"source\": \"algesten/str0m, crates/netem/src/config.rs, Wi-Fi: its author's judgement, not a measurement\",\n  \"downlink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"0.5 %\", \"r\": \"50 %\" } } },\n  \"uplink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"0.5 %\", \"r\": \"50 %\" } } }\n}\n"
        ),
        BuiltInProfile(
            "wi-fi-lossy.json", "Wi-Fi Lossy",
            downlink: "4.76 % lost in bursts (p 2.5 %, r 50 %, 100 % in bad, 0 % in good)", uplink: "4.76 % lost in bursts (p 2.5 %, r 50 %, 100 % in bad, 0 % in good)", dns: "-",
            json: "{\n  \"name\": \"Wi-Fi Lossy\",\n  \"summary\": \"Bursts of loss as on a bad wireless LAN, 4.8 % on average\",\n  \"source\": \"algesten/str0m, crates/netem/src/config.rs, lossy Wi-Fi: its author's judgement, not a measurement\",\n  \"downlink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"2.5 %\", \"r\": \"50 %\" } } },\n  \"uplink\": { \"loss\": { \"gilbertElliott\": { \"p\": \"2.5 %\", \"r\": \"50 %\" } } }\n}\n"
        ),
        BuiltInProfile(
            "wi-fi.json", "Wi-Fi",
            downlink: "1 ms delay, 40 Mbit/s", uplink: "1 ms delay, 33 Mbit/s", dns: "-",
            json: "{\n  \"name\": \"Wi-Fi\",\n  \"summary\": \"Wireless LAN of the 802.11n kind\",\n  \"source\": \"Widely repeated, not verified against Apple's own file\",\n  \"downlink\": { \"rate\": \"40 Mbit/s\", \"delay\": \"1 ms\" },\n  \"uplink\": { \"rate\": \"33 Mbit/s\", \"delay\": \"1 ms\" }\n}\n"
        ),
    ]
}
