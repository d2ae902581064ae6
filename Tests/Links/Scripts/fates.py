# SPDX-License-Identifier: Apache-2.0
"""The model of a lane after its definition, in exact fractions, for links of constant figures.

It shares no code with the pipeline, and takes another way: each packet's fate is computed from the fates of those
before it, without a clock. Reads links from standard input, one JSON object a line, and prints a line for each: the
departures, sorted by packet and copy, as "packet.copy fate nanoseconds mark bit".
"""
import json
import sys
from fractions import Fraction
from math import ceil, sqrt
from statistics import NormalDist

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def draw(seed, index):
    """SplitMix64 (Steele, Lea, Flood, 2014) at a place of its sequence."""
    z = (seed + (index + 1) * GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def hits(percent, random):
    """Whether 53 bits of the random number are below the probability."""
    return Fraction(random >> 11, 1 << 53) < Fraction(round(Fraction(percent) / 100 * (1 << 53)), 1 << 53)


def table(distribution):
    """4096 quantiles with mean 0 and deviation 8192 once none exceeds 16 bits, as tc's own tables have them."""
    places = [(i + 0.5) / 4096 for i in range(4096)]
    normal = [NormalDist().inv_cdf(p) for p in places]
    pareto = [(1 - p) ** (-1 / 3) for p in places]
    mixed = [n / 4 + 3 * p / 4 for n, p in zip(normal, pareto)]
    values = {"normal": normal, "pareto": pareto, "paretonormal": mixed}[distribution]
    change = 1
    while change > 1e-13:
        mean = sum(values) / 4096
        deviation = sqrt(sum((v - mean) ** 2 for v in values) / 4096)
        scaled = [max(min((v - mean) / deviation, 32767 / 8192), -32767 / 8192) for v in values]
        change = max(abs(a - b) for a, b in zip(values, scaled))
        values = scaled
    return [nearest(Fraction(v) * 8192) for v in values]


def nearest(fraction):
    """Rounds to the nearest integer, halves away from zero."""
    size = abs(fraction) + Fraction(1, 2)
    return int(size) if fraction >= 0 else -int(size)


TABLES = {}


def losses(link, seed, count):
    """Why each packet is lost; None if it is not."""
    model = link.get("loss")
    if model is None:
        return [None] * count
    loss = [draw(draw(seed, 0), i) for i in range(count)]
    step = [draw(draw(seed, 1), i) for i in range(count)]
    reasons = []
    if "percent" in model:
        return ["randomLoss" if hits(model["percent"], r) else None for r in loss]
    if "burst" in model:
        share, burst = Fraction(model["share"]) / 100, Fraction(model["burst"])
        to_good = 1 / burst
        to_bad = share * to_good / (1 - share)
        bad = False
        for i in range(count):
            reasons.append("burstLoss" if bad else None)
            bad = not hits(to_good * 100, step[i]) if bad else hits(to_bad * 100, step[i])
        return reasons
    p = {key: Fraction(value) for key, value in model.items()}
    state = 1
    for i in range(count):
        # The order of the tests is that of loss_4state in sch_netem.c.
        if state == 1:
            state = 4 if hits(p["p14"], step[i]) else 3 if hits(p["p14"] + p["p13"], step[i]) else 1
        elif state == 2:
            state = 3 if hits(p["p23"], step[i]) else 2
        elif state == 3:
            state = 2 if hits(p["p32"], step[i]) else 1 if hits(p["p32"] + p["p31"], step[i]) else 3
        else:
            state = 1
        reasons.append({3: "burstLoss", 4: "randomLoss"}.get(state))
    return reasons


def delayed(link, seed, packets):
    """The copies that reach the bottleneck: (time, order, packet, copy, bytes, bit)."""
    copies = []
    jitter, reorder = link.get("jitter"), link.get("reorder")
    passed, latest = 0, 0
    for number, (arrival, size) in packets:
        twice = hits(link.get("duplicate", 0), draw(draw(seed, 2), number))
        for copy in range(2 if twice else 1):
            order = 2 * number + copy
            bit = None
            if hits(link.get("corrupt", 0), draw(draw(seed, 3), order)):
                bit = max(size - 14, 1) * 8 * draw(draw(seed, 4), order) >> 64
            gap = reorder["gap"] if reorder else 1
            overtakes = (
                reorder and passed >= gap - 1 and hits(reorder["percent"], draw(draw(seed, 6), order))
            )
            if overtakes:
                passed, time = 0, arrival
            else:
                passed += 1
                delay = link["delay"]
                if jitter and jitter["amount"]:
                    random, amount = draw(draw(seed, 5), order), jitter["amount"]
                    if jitter["distribution"] == "uniform":
                        delay += (2 * amount * random >> 64) - amount
                    else:
                        name = jitter["distribution"]
                        values = TABLES.setdefault(name, None) or table(name)
                        TABLES[name] = values
                        delay += nearest(Fraction(amount * values[random >> 52], 8192))
                time = arrival + max(delay, 0)
                if not jitter or jitter["ordered"]:
                    latest = time = max(time, latest)
            copies.append((time, order, number, copy, size, bit))
    return sorted(copies)


def wire(size, overhead):
    if not overhead:
        return size
    length = max(size + overhead["packet"], 1)
    if overhead.get("cell"):
        return max(ceil(Fraction(length, overhead["cell"])) * (overhead["cell"] + overhead["cellOverhead"]), 1)
    return length


def fates(link):
    packets = list(enumerate(link["arrivals"]))
    seed = draw(draw(link["seed"], 0), link["lane"])
    reasons = losses(link, seed, len(packets))
    result = [(n, 0, reasons[n], arrival, None) for n, (arrival, _) in packets if reasons[n]]
    buffer, free = [], Fraction(0)
    for time, _, number, copy, size, bit in delayed(link, seed, [p for p in packets if not reasons[p[0]]]):
        buffer = [(end, length) for end, length in buffer if end > time]
        length = wire(size, link.get("overhead"))
        bytes_held = sum(held for _, held in buffer) + length
        full = len(buffer) >= link.get("packets", 1 << 60) or bytes_held > link.get("bytes", 1 << 60)
        if buffer and full:
            result.append((number, copy, "queueFull", time, bit))
            continue
        free = max(free, time) + Fraction(length * 8_000_000_000, link["rate"])
        buffer.append((ceil(free), length))
        result.append((number, copy, "sent", ceil(free), bit))
    return sorted(result, key=lambda fate: fate[:2])


for line in sys.stdin:
    link = json.loads(line, parse_float=Fraction)
    print(";".join(f"{n}.{c} {why} {time} {'-' if bit is None else bit}" for n, c, why, time, bit in fates(link)))
