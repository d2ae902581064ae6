// SPDX-License-Identifier: Apache-2.0

extension SourceFigures {
    /// The figures of every built-in profile, read out of the sources and not out of the profiles: the name that a row has
    /// in profiles.csv; kbit/s, ms of delay and ms of jitter, of the downlink and the uplink each; per cent of loss of
    /// both; ms of delay of DNS; the profile's name. 0 is none. What is marked ~ is no figure of the source: the profile
    /// says that it is judgement, or how it was computed.
    static let table = """
        100-loss                        0        0        0     0     0    0    100   100   0    100% Loss
        3g                              780      330      100   100   0    0    0     0     0    3G
        dsl                             2000     256      5     5     0    0    0     0     0    Bufferbloat DSL
        dsl                             2000     256      5     5     0    0    0     0     0    DSL
        edge                            240      200      400   440   0    0    0     0     0    Edge
        high-latency-dns                0        0        0     0     0    0    0     0     3000 High Latency DNS
        lte                             50000    10000    50    65    0    0    0     0     0    LTE
        very-bad-network                1000     1000     500   500   0    0    10    10    0    Very Bad Network
        wifi                            40000    33000    1     1     0    0    0     0     0    Wi-Fi
        wifi-80211ac                    250000   100000   1     1     0    0    0     0     0    Wi-Fi 802.11ac
        3g-good                         850      420      90    100   0    0    0     0     0    3G Good
        3g-average                      780      330      100   100   0    0    0     0     0    3G Average
        3g-lossy                        780      330      100   100   0    0    1     1     0    3G Lossy
        edge-good                       250      200      350   370   0    0    0     0     0    Edge Good
        edge-average                    240      200      400   440   0    0    0     0     0    Edge Average
        edge-lossy                      240      200      400   440   0    0    1     1     0    Edge Lossy
        cable-modem                     6000     1000     2     2     0    0    0     0     0    Bufferbloat Cable
        cable-modem                     6000     1000     2     2     0    0    0     0     0    Cable Modem
        2g-rural                        20       18       650   650   0    0    2     2     0    2G Rural
        2g-urban                        35       32       650   650   0    0    0     0     0    2G Urban
        slow-net                        32       32       100   100   0    0    0     0     200  Slow Net
        nasty-net                       ~32      ~32      ~100  ~100  0    0    90    90    0    Nasty Net
        black-hole                      0        0        0     0     0    0    100   0     0    Black Hole
        atc-2g-developing-rural         20       18       650   650   0    0    2     2     0    ATC 2G Developing Rural
        atc-2g-developing-urban         35       32       650   650   0    0    0     0     0    ATC 2G Developing Urban
        atc-3g-average                  780      330      100   100   0    0    0     0     0    ATC 3G Average
        atc-3g-good                     850      420      90    100   0    0    0     0     0    ATC 3G Good
        atc-cable                       6000     1000     2     2     0    0    0     0     0    ATC Cable
        atc-dsl                         2000     256      5     5     0    0    0     0     0    ATC DSL
        atc-edge-average                240      200      400   440   0    0    0     0     0    ATC Edge Average
        atc-edge-good                   250      200      350   370   0    0    0     0     0    ATC Edge Good
        atc-edge-lossy                  240      200      400   440   0    0    1     1     0    ATC Edge Lossy
        atc-no-connectivity             1        1        0     0     0    0    0     0     0    ATC No Connectivity
        chrome-slow-3g                  500      500      200   200   0    0    0     0     0    Chrome Slow 3G
        chrome-slow-4g                  1600     750      75    75    0    0    0     0     0    Chrome Slow 4G
        chrome-fast-4g                  9000     1500     30    30    0    0    0     0     0    Chrome Fast 4G
        lh-mobile-slow-4g               1638.4   750      75    75    0    0    0     0     0    Lighthouse Slow 4G
        lh-mobile-regular-3g            700      700      150   150   0    0    0     0     0    Lighthouse Regular 3G
        lh-desktop-dense-4g             10240    10240    20    20    0    0    0     0     0    Lighthouse Desktop Dense 4G
        wpt-cable                       5000     1000     14    14    0    0    0     0     0    WebPageTest Cable
        wpt-dsl                         1500     384      25    25    0    0    0     0     0    WebPageTest DSL
        wpt-3g-slow                     400      400      200   200   0    0    0     0     0    WebPageTest 3G Slow
        wpt-3g-em                       400      400      200   200   0    0    0     0     0    WebPageTest 3G EM
        wpt-3g                          1600     768      150   150   0    0    0     0     0    WebPageTest 3G
        wpt-3g-fast                     1600     768      75    75    0    0    0     0     0    WebPageTest 3G Fast
        wpt-4g                          9000     9000     85    85    0    0    0     0     0    WebPageTest 4G
        wpt-4g-fast                     10240    10240    20    20    0    0    0     0     0    WebPageTest 4G Fast
        wpt-lte                         12000    12000    35    35    0    0    0     0     0    WebPageTest LTE
        wpt-edge                        240      200      420   420   0    0    0     0     0    WebPageTest Edge
        wpt-2g                          280      256      400   400   0    0    0     0     0    WebPageTest 2G
        wpt-dial                        49       30       60    60    0    0    0     0     0    WebPageTest Dial
        wpt-fios                        20000    5000     2     2     0    0    0     0     0    WebPageTest FIOS
        wpt-vdsl                        15000    3000     10    10    0    0    0     0     0    WebPageTest VDSL
        ss-3g                           1600     768      75    75    0    0    0     0     0    Sitespeed 3G
        ss-lte                          12000    12000    17.5  17.5  0    0    0     0     0    Sitespeed LTE
        ss-edge                         240      200      210   210   0    0    0     0     0    Sitespeed Edge
        cc-gprs-good                    50       50       500   500   0    0    2     2     0    Comcast GPRS
        cc-edge-good                    250      250      300   300   0    0    1.5   1.5   0    Comcast Edge
        cc-3g-good                      750      750      250   250   0    0    1.5   1.5   0    Comcast 3G
        cc-dialup-good                  40       40       185   185   0    0    2     2     0    Comcast Dial-Up
        cc-dsl-poor                     2000     2000     70    70    0    0    2     2     0    Comcast DSL Poor
        cc-dsl-good                     8000     8000     40    40    0    0    0.5   0.5   0    Comcast DSL Good
        cc-wifi-good                    30000    30000    40    40    0    0    0.2   0.2   0    Comcast Wi-Fi
        cc-starlink                     0        0        20    20    0    0    2.5   2.5   0    Comcast Starlink
        fx-gprs                         51.2     20.48    250   250   0    0    0     0     0    Firefox GPRS
        fx-2g                           256      51.2     150   150   0    0    0     0     0    Firefox Regular 2G
        fx-2g-good                      460.8    153.6    75    75    0    0    0     0     0    Firefox Good 2G
        fx-3g                           768      256      50    50    0    0    0     0     0    Firefox Regular 3G
        fx-3g-good                      1572.864 768      20    20    0    0    0     0     0    Firefox Good 3G
        fx-4g                           4194.304 3145.728 10    10    0    0    0     0     0    Firefox Regular 4G LTE
        fx-dsl                          2097.152 1048.576 2.5   2.5   0    0    0     0     0    Firefox DSL
        fx-wifi                         31457.28 15728.64 1     1     0    0    0     0     0    Firefox Wi-Fi
        ae-gsm                          14.4     14.4     350   350   200  200  0     0     0    Android GSM
        ae-hscsd                        57.6     14.4     240   240   160  160  0     0     0    Android HSCSD
        ae-gprs                         57.6     28.8     117.5 117.5 82.5 82.5 0     0     0    Android GPRS
        ae-umts                         384      384      117.5 117.5 82.5 82.5 0     0     0    Android UMTS
        ae-edge                         473.6    473.6    240   240   160  160  0     0     0    Android Edge
        ae-hsdpa                        13980    5760     0     0     0    0    0     0     0    Android HSDPA
        ae-lte                          173000   58000    0     0     0    0    0     0     0    Android LTE
        ae-evdo                         280000   75000    0     0     0    0    0     0     0    Android EVDO
        ftl-gsm-poor                    2.4      2.4      600   600   0    0    10    10    0    Firebase GSM Poor
        ftl-lte                         16000    16000    40    40    0    0    0.1   0.1   0    Firebase LTE
        bs-2g-gprs-lossy                30       20       325   325   0    0    2     2     0    BrowserStack GPRS Lossy
        bs-edge-lossy                   150      100      250   250   0    0    1     1     0    BrowserStack Edge Lossy
        bs-3g-umts-lossy                200      50       100   100   0    0    1     1     0    BrowserStack 3G Lossy
        bs-3.5g-hspa-good               1800     400      50    50    0    0    0     0     0    BrowserStack 3.5G Good
        lo-4g                           100000   50000    45    45    5    15   0.2   0.2   0    Loadero 4G
        lo-3.5g                         20000    10000    150   150   10   10   0.5   0.5   0    Loadero 3.5G
        lo-3g                           1200     1200     250   250   50   50   0.5   0.5   0    Loadero 3G
        lo-gprs                         80       20       650   650   100  100  1     1     0    Loadero GPRS
        lo-edge                         200      260      650   650   100  100  1     1     0    Loadero Edge
        lo-satellite-phone              1000     256      600   600   0    0    0     0     0    Loadero Satellite Phone
        rmcat-default                   4000     4000     50    50    ~5   ~5   0     0     0    RMCAT Default
        rmcat-5.1                       ~1000    0        50    50    ~5   ~5   0     0     0    RMCAT 5.1 Variable Capacity
        rmcat-5.2                       ~4000    0        50    50    ~5   ~5   0     0     0    RMCAT 5.2 Variable Capacity
        rmcat-5.3                       ~2000    ~2000    50    50    ~5   ~5   0     0     0    RMCAT 5.3 Congested Feedback
        satellite-geo-rfc2488           0        0        279   279   0    0    0     0     0    GEO Propagation Only
        geo-hughesnet-2025              47790    ~3000    341.5 341.5 0    0    0     0     0    GEO Satellite
        geo-viasat-2025                 49120    ~3000    342   342   0    0    0     0     0    Viasat
        leo-starlink-2025               104710   14840    22.5  22.5  0    0    0     0     0    Starlink
        leo-starlink-2025               104710   14840    22.5  22.5  0    0    0     0     0    Starlink Steady
        leo-starlink-osnabrueck-static  292100   16900    28.35 28.35 ~0   ~0   ~1.1  ~1.1  0    Starlink Germany Stationary
        leo-starlink-osnabrueck-driving 0        0        29.65 29.65 ~0   ~0   ~1.95 ~1.95 0    Starlink Germany Driving
        5g-ireland-driving              8060     0        40    40    ~0   ~0   0     0     0    Irish 5G Driving
        hsdpa-norway-tram               1020     0        0     0     0    0    0     0     0    HSDPA Tram
        hsdpa-norway-bus                2250     0        0     0     0    0    0     0     0    HSDPA Bus
        hsdpa-norway-train              1730     0        0     0     0    0    0     0     0    HSDPA Train
        inflight-mss                    ~2000    ~500     375   375   0    0    7     7     0    In-Flight Satellite
        inflight-da2gc                  ~2000    ~500     100   100   0    0    3.3   3.3   0    In-Flight Air-to-Ground
        ge-wifi                         0        0        0     0     0    0    0.99  0.99  0    Wi-Fi Light Loss
        ge-wifi-lossy                   0        0        0     0     0    0    4.76  4.76  0    Wi-Fi Lossy
        ge-cellular                     0        0        0     0     0    0    1.96  1.96  0    Cellular Bursty
        ge-satellite                    0        0        0     0     0    0    2.91  2.91  0    Satellite Bursty
        ge-congested                    0        0        0     0     0    0    9.09  9.09  0    Congested
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Base
        -                               10000   10000    750   750   0    0    0     0     0    QUIC Interop Long RTT
        -                               10000   10000    15    15    0    0    29.4284 29.4284 0    QUIC Interop Handshake Loss
        -                               10000   10000    15    15    0    0    2     2     0    QUIC Interop Transfer Loss
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Handshake Corruption
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Transfer Corruption
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Blackhole
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Amplification Limit
        -                               10000   10000    15    15    0    0    0     0     0    QUIC Interop Cross Traffic
        -                               2000    0        50    50    5    5    0     0     0    RMCAT 5.6 Long TCP Flow
        -                               2000    0        50    50    5    5    0     0     0    RMCAT 5.7 Short TCP Flows
        -                               100000  0        50    50    0    0    0     0     0    RFC 7928 Slow Changes
        -                               100000  0        50    50    0    0    0     0     0    RFC 7928 Fast Changes
        -                               7000    768      6.5   6.5   2.5  2.5  0     0     0    G1050 Severity A
        -                               7000    768      18.5  18.5  2.5  2.5  0     0     0    G1050 Severity A Intercontinental
        -                               7000    768      13    13    5    5    0.0101 0.0101 0    G1050 Severity B
        -                               7000    768      37    37    5    5    0.0101 0.0101 0    G1050 Severity B Intercontinental
        -                               7000    768      24    24    8    8    0.0206 0.0206 0    G1050 Severity C
        -                               7000    768      72    72    8    8    0.0206 0.0206 0    G1050 Severity C Intercontinental
        -                               7000    768      52    52    20   20   0.0439 0.0439 0    G1050 Severity D
        -                               7000    768      148   148   20   20   0.0439 0.0439 0    G1050 Severity D Intercontinental
        -                               7000    768      99    99    35   35   0.1268 0.1268 0    G1050 Severity E
        -                               7000    768      231   231   35   35   0.1268 0.1268 0    G1050 Severity E Intercontinental
        -                               7000    768      178   178   50   50   0.3449 0.3449 0    G1050 Severity F
        -                               7000    768      306   306   50   50   0.3449 0.3449 0    G1050 Severity F Intercontinental
        -                               7000    768      331   331   75   75   1.2192 1.2192 0    G1050 Severity G
        -                               7000    768      587   587   75   75   1.2192 1.2192 0    G1050 Severity G Intercontinental
        -                               7000    768      762   762   250  250  2.7778 2.7778 0    G1050 Severity H
        -                               7000    768      1018  1018  250  250  2.7778 2.7778 0    G1050 Severity H Intercontinental
        wpt-vdsl                        15000   3000     10    10    0    0    0     0     0    Busy Home
        wpt-vdsl                        15000   3000     10    10    0    0    0     0     0    Busy Home, fq_codel
        -                               15000   3000     12    12    4    4    0.5   0.5   0    Cafe
        -                               50000   20000    15    15    10   10   2     2     0    Conference Wi-Fi
        """
}
