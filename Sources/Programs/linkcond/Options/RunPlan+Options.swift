// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LinkConditioning
import LinkProfiles
import ProfileCatalog
import Reports
import Sandboxing
import Trials

extension Linkcond.Run {
    /// Throws if options contradict each other.
    ///
    /// - Parameter isObserved: whether the client is judged, or its packets are reported.
    func refuseContradictions(isObserved: Bool) throws(ValidationError) {
        let hasInterface = interface != nil || !namespace.isOwn
        let place = interface == nil ? namespace.option.map { "--\($0.name)" } ?? "-i" : "-i"
        let isRepeated = course.repetitions != nil
        let isOnNetem = rule.engine.engine == .netem
        // Only the first contradiction is reported.
        let words: String? =
            switch true {
            case rare.user != nil && geteuid() != 0: "--user needs root."
            case link.scenario != nil && profileOptions.isGiven:
                "--scenario names its profiles: leave out PROFILE, \(FigureOptions.names)."
            case link.scenario != nil && !link.path.isEmpty: "--scenario names its paths: leave out --path."
            case !link.path.isEmpty && hasInterface: "--path cannot be combined with \(place)."
            case !link.path.isEmpty && sandbox.uplink.offline: "--path gives the command uplinks: leave out --offline."
            case PathOption.problem(with: link.path) != nil: PathOption.problem(with: link.path)
            case link.scenario != nil && hasInterface: "--scenario cannot be combined with \(place)."
            case link.rules != nil && hasInterface:
                "--rules cannot be combined with \(place): apply each rule to it before."
            case link.rules == "-" && (link.scenario == "-" || profileOptions.profile == "-"):
                "Only one file can be standard input."
            case hasInterface && !profileOptions.isGiven: "\(place) needs a profile."
            case hasInterface && !(sandbox.uplink.isEmpty && sandbox.log == nil):
                "--offline, --host-port and --log cannot be combined with \(place)."
            case hasInterface && sandbox.capture != nil && isOnNetem:
                """
                --capture with \(place) needs the userspace engine, which knows what became of each packet. \
                Leave out --engine, or type in another terminal: linkcond capture -i \(interface ?? "DEV")\(namespace.words) -w \(sandbox.capture ?? "")
                """
            case !hasInterface && facing.facing != .host: "--facing needs an interface: -i DEV."
            case hasInterface && output.progress != nil: "--progress cannot be combined with \(place)."
            case hasInterface && observation.isUsed: "--expect and --report cannot be combined with \(place)."
            case !isRepeated && course.jobs != nil: "--jobs needs --repeat."
            case !isRepeated && !course.shards.isEmpty: "--shard and --list-trials need --repeat."
            case !(1...TrialOptions.maximumRuns ~= course.repetitions ?? 1): TrialOptions.repeatRange
            case !(1...TrialOptions.maximumJobs ~= course.jobs ?? 1): TrialOptions.jobsRange
            case isRepeated && (hasInterface || sandbox.capture != nil || sandbox.log != nil || rare.keepChildren):
                "--repeat cannot be combined with \(place), --capture, --log and --keep-children."
            case isRepeated && beside.pane: "--pane shows one run: leave out --repeat."
            case beside.pane && !namespace.isOwn: "--pane cannot be combined with \(place): it shows this network."
            case beside.pane && interface == "lo": "--pane cannot be combined with -i lo, which carries the page, too."
            case isRepeated && isOnNetem: "--repeat needs the userspace engine, which knows each packet's fate."
            case isRepeated && [profileOptions.profile, link.scenario, link.rules].contains("-"):
                "--repeat cannot read standard input; give it a file."
            case !profileOptions.isGiven && link.scenario == nil && link.path.isEmpty
                && !(traffic.isEmpty && (rule.isEmpty || link.rules != nil)):
                "Selectors, --seed and --before-foreign need a profile."
            case observation.report != nil && sandbox.capture != nil:
                "--report writes packets.pcapng; leave out --capture."
            case isObserved && rare.keepChildren: "Expectations and --report cannot be combined with --keep-children."
            case isObserved && isOnNetem:
                """
                Expectations and --report need the userspace engine, which knows each packet's fate; leave out --engine.
                """
            default: nil
            }
        if let words { throw ValidationError(words) }
    }

    /// The options that repeat the run with its conditions and expectations from a scenario, as words.
    private var repetitionOptions: [String] {
        let names: Set<String> = [
            "--delay", "--rate", "--loss", "--downlink", "--uplink", "--dns", "--scenario", "--path", "--expect",
            "--seed", "--progress", "--report", "--capture", "--capture-snap", "--log",
        ]
        var words = CommandLine.options(without: names, flags: ["--pane"])
        if let profile = profileOptions.profile, let index = words.firstIndex(of: profile) { words.remove(at: index) }
        return words
    }

    /// Makes the plan from the options, and loads the profiles that they name.
    func plan() throws -> RunPlan {
        let scenario = try link.scenario.map { try profileOptions.catalogOptions.scenario($0) }
        try scenario?.refuseNetworkKeys(isOffline: sandbox.uplink.offline, rule.engine.engine)
        if sandbox.uplink.offline, scenario?.paths.isEmpty == false {
            throw ValidationError("The scenario gives the command uplinks: leave out --offline.")
        }
        let expectations =
            try observation.expectations(labels: scenario?.scenario.labels) + (scenario?.expectations() ?? [])
        // The pane shows the packets, where something can see them.
        let isShown =
            beside.pane && interface == nil && !rare.keepChildren && rule.engine.engine != .netem
        let isObserved = observation.isUsed || !expectations.isEmpty || isShown
        try refuseContradictions(isObserved: isObserved)
        if observation.failFast, expectations.isEmpty {
            throw ValidationError("--fail-fast needs an expectation: --expect, or those of a scenario.")
        }
        let loaded = try profileOptions.loadIfGiven()
        let rules = try link.rules.map {
            try LoadedRules.read(path: $0, catalog: profileOptions.catalogOptions.catalog)
        }
        var profiles = (scenario?.profiles ?? [loaded].compactMap { $0 }) + (rules?.rules.map(\.profile) ?? [])
        LoadedProfile.note(profiles)
        // With several uplinks, each target is monitored over each of them.
        let uplinks = link.path.map(\.name) + (scenario?.scenario.paths ?? []).map(\.name)
        let targets = uplinks.isEmpty ? course.monitor : course.monitor.flatMap { $0.over(uplinks) }
        var command = try WrappedCommand(command.count, user: rare.user, timeout: course.timeout)
        (command.keepsChildren, command.monitor) = (rare.keepChildren, MonitorTask(targets))
        command.isVerbose = rule.verbose
        let selection = try traffic.selection()
        let capture = sandbox.runCapture
        var request = try loaded.map { try rule.request($0, selection) }
        request?.facing = facing.facing
        if interface != nil || !namespace.isOwn, let request {
            let conditioner = try namespace.join("run") ?? InterfaceConditioner(command: "run")
            let interface = try interface ?? conditioner.mainInterface()
            if course.timeout == nil {
                try conditioner.lockoutGuard
                    .check(request, on: interface, remedy: "--timeout 60s, or --exclude 'port 22'")
            }
            return .interface(interface, request, command, capture: capture)
        }
        var conditions =
            try scenario.map { try RunConditions($0) { try rule.request($0, selection) } }
            ?? request.map { RunConditions($0) }
        if rules != nil || !link.path.isEmpty {
            let rest = LoadedProfile(profile: .unconditioned, origin: .commandLine)
            conditions = try conditions ?? RunConditions(rule.request(rest, selection))
        }
        if let rules { conditions?.rules = try rules.requests(beside: selection) { try rule.request($0, $1) } }
        try conditions?.add(link.path, profileOptions.catalogOptions) { profile in
            profiles.append(profile)
            return try rule.request(profile, selection)
        }
        var network = try sandbox.uplink.sandbox(
            around: command,
            conditions,
            profileOptions.catalogOptions,
            engine: rule.engine.engine,
            log: sandbox.log
        )
        network.repetition = repetitionOptions
        guard isObserved || course.repetitions != nil else {
            network.capture = capture
            network.needsConditions =
                conditions == nil && course.monitor.isEmpty && sandbox.uplink.isEmpty && sandbox.log == nil
                && capture == nil
            return .sandbox(network, command)
        }
        var evidence = capture.map { ObservedPlan.Evidence.capture($0) } ?? .unnamed
        // With --repeat, each run writes its own report, whose directory is not yet known.
        if course.repetitions == nil, let report = observation.report { evidence = .report(report) }
        var observed = ObservedPlan(
            command,
            in: network,
            expecting: expectations,
            evidence: evidence,
            isStrict: observation.strict,
            failsFast: observation.failFast,
            options: CommandLine.options(
                without: course.repetitions == nil
                    ? ["--seed", "--progress"]
                    : ShardOptions.ownNames.union(["--seed", "--progress", "--repeat", "--jobs", "--report"]),
                flags: ["--list-trials", "--pane"]
            ),
            version: Linkcond.version
        )
        if course.repetitions != nil {
            let name = scenario?.scenario.name ?? conditions?.profileName ?? Profile.unconditioned.name
            let texts = [scenario?.scenario.json.line].compactMap { $0 } + (rules?.selectors ?? [])
            observed.network = try TrialList.Network(name, profiles, texts)
        }
        return .observed(observed)
    }
}
