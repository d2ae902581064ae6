# SPDX-License-Identifier: Apache-2.0
# What the rules of one interface may be after a command: the model to which histories are compared.
import collections

# When a rule ends, by the monotonic clock, is known up to the time that its command took: (earliest, latest).
Rule = collections.namedtuple("Rule", "traffic profile until confirm run")
# Sets of rules, of which no two have the same traffic.
State = collections.namedtuple("State", "rules suspended")
BLANK = State(frozenset(), frozenset())
# How long after its time a rule may be there: the grace of a missed deadline, and a busy machine.
LATE = 6


def without(rules, traffic):
    return frozenset(rule for rule in rules if rule.traffic != traffic)


def find(rules, traffic):
    return next((rule for rule in rules if rule.traffic == traffic), None)


def put(state, rule):
    """The state with a rule in effect."""
    return State(without(state.rules, rule.traffic) | {rule}, without(state.suspended, rule.traffic))


def meant(state, traffic):
    """The rule that a switch means: without selectors, the only one."""
    if traffic == "everything":
        return next(iter(state.rules)) if len(state.rules) == 1 else None
    return find(state.rules, traffic)


def dropped(states, may_end):
    """The states in which some of the rules have ended."""
    found = set()
    for state in states:
        variants = {state}
        for rule in state.rules | state.suspended:
            if may_end(rule):
                variants |= {State(each.rules - {rule}, each.suspended - {rule}) for each in variants}
        found |= variants
    return found


def expired(states, now):
    """The states at a time: a rule may have ended from its earliest time on, and has ended after its latest."""
    def deadlines(rule):
        return [each for each in (rule.until, rule.confirm) if each]
    states = dropped(states, lambda rule: any(each[0] <= now for each in deadlines(rule)))
    return {state for state in states
            if not any(each[1] + LATE < now for rule in state.rules for each in deadlines(rule))}


def resumed(state, now, is_alive, is_whole):
    """The states after suspended rules are put back one by one: all of them, or any."""
    found = {state}
    for rule in state.suspended:
        following = set() if is_whole else set(found)
        is_over = any(limit and limit[0] <= now for limit in (rule.until, rule.confirm))
        for each in found:
            if is_over or rule.run is not None:
                following.add(State(each.rules, each.suspended - {rule}))
            if rule.run is None or is_alive(rule.run):
                following.add(put(each, rule))
        found = following
    return found


def completed(state, command, span, run, is_alive):
    """The states after a command that has gone through; none if it cannot."""
    def times(seconds):
        return seconds and (span[0] + seconds, span[1] + seconds)
    verb, traffic = command.verb, command.traffic
    if verb == "apply":
        old = find(state.rules, traffic)
        if old and old.run is not None and is_alive(old.run):
            return set()
        return {put(state, Rule(traffic, command.profile, times(command.limit), times(command.confirm), None))}
    if verb == "switch":
        old = meant(state, traffic)
        return {put(state, old._replace(profile=command.profile))} if old else set()
    if verb == "run":
        return set() if find(state.rules, traffic) else {put(state, Rule(traffic, command.profile, None, None, run))}
    if verb == "off":
        kept = frozenset(rule for rule in state.suspended if not find(state.rules, rule.traffic))
        return {State(frozenset(), kept | state.rules)}
    if verb == "on":
        return resumed(state, span[1], is_alive, True)
    if verb == "reset":
        return {BLANK}
    if verb == "confirm":
        def kept(rule, is_sure):
            is_confirmed = rule.confirm and rule.confirm[0 if is_sure else 1] >= span[0]
            return rule._replace(confirm=None) if is_confirmed else rule
        return {State(frozenset(kept(rule, sure) for rule in state.rules), state.suspended) for sure in (True, False)}
    return {state}


def after(states, command, result, span, run, is_alive):
    """The states after a command with a result: "done", "failed" or "killed"."""
    found = set()
    for state in expired(states, span[1]):
        whole = completed(state, command, span, run, is_alive)
        if result == "done":
            found |= whole
            continue
        found.add(state)
        if command.verb == "on":
            found |= resumed(state, span[1], is_alive, False)
        elif command.verb == "run":
            # Its rule ends with it.
            found.add(State(state.rules, without(state.suspended, command.traffic)))
        elif result == "killed" or command.device is None:
            # It may have failed on another interface.
            found |= whole
    return found
