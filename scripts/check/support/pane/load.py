# SPDX-License-Identifier: Apache-2.0
"""33 rules and 1,000 connections: what the pane costs, whether the page stutters, and whether its memory grows."""
import subprocess
import sys
import time

from world import Lateness

RULES, CONNECTIONS = 33, 1000
FIRST_PORT = 10_000
PROCESSOR = 0.10  # of a core
FRAME = 50  # ms
# What the page keeps of the last minute is full after one.
GROWTH, ALLOWANCE = 0.05, 300_000
SLICE = 10  # s

SERVER = """
import asyncio
async def read(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
    except ConnectionError:
        pass
async def main():
    servers = [await asyncio.start_server(read, "", %d + each, backlog=1000) for each in range(%d)]
    print("ready", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
CLIENT = """
import asyncio, sys
async def talk(number):
    await asyncio.sleep(number / 500)
    reader, writer = await asyncio.open_connection(sys.argv[1], %d + number %% %d)
    print(number, flush=True)
    while True:
        writer.write(b"x" * 100)
        await reader.read(1000)
        await asyncio.sleep(5)
async def main():
    await asyncio.gather(*(talk(each) for each in range(%d)))
asyncio.run(main())
"""
# Notes each frame that is late, with the time, and counts the others.
RECORDER = """(() => {
    const record = window.record = { frames: 0, late: [], longest: 0, last: 0,
        clear() { Object.assign(record, { frames: 0, late: [], longest: 0, last: 0 }); } };
    const frame = (now) => {
        const took = record.last ? now - record.last : 0;
        record.last = now;
        record.frames += 1;
        record.longest = Math.max(record.longest, took);
        if (took > 25) record.late.push([performance.timeOrigin + now, took]);
        requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
})()"""
READ = "({ frames: record.frames, late: record.late, longest: record.longest })"


def unexplained(late, empty):
    """Of the frames of more than FRAME ms, those that an empty page has not: for both, the machine is late."""
    def machine(end, took):
        beside = [more for at, more in empty if end - took - 100 <= at <= end + more + 100]
        return max(beside, default=16.7) - 16.7
    return [took for end, took in late if took - machine(end, took) > FRAME]


def tasks(trace):
    """Of each task of the page's main thread: how long it took, and how long it had the processor, in ms.

    The second is the page's own doing, however busy the machine is."""
    mark = next(each for each in trace if each["name"] == "suite-page")
    thread = (mark["pid"], mark["tid"])
    return [(each["dur"] / 1000, each.get("tdur", each["dur"]) / 1000) for each in trace
            if each["name"] == "RunTask" and each["ph"] == "X" and (each["pid"], each["tid"]) == thread
            and each["ts"] >= mark["ts"]]


def traffic(world):
    """Rules, and connections that each of them meets; the processes, once all connections are open."""
    for each in range(RULES):
        profile = ["wi-fi", "lte", "dsl"][each % 3]
        world.linkcond("apply", profile, "-i", world.INTERFACE, "--port", str(FIRST_PORT + each))
    server = world.at_far(sys.executable, "-c", SERVER % (FIRST_PORT, RULES))
    client = subprocess.Popen([sys.executable, "-c", CLIENT % (FIRST_PORT, RULES, CONNECTIONS), world.FAR],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    for _ in range(CONNECTIONS):
        if not client.stdout.readline():
            raise RuntimeError("the client has ended")
    return client, server


def check(world, checks, browser, seconds):
    processes = []
    try:
        processes = traffic(world)
        pane = world.pane()
        empty = browser.tab()
        empty.open("data:text/html,<title>empty</title>")
        tab = browser.tab()
        tab.resize(1280, 900)
        tab.open(pane.address)
        tab.until(f"document.body.innerText.includes('{RULES} rules')", 20, f"{RULES} rules")
        tab.until("/1[\\s,.\\u202f\\u2009]?000|1000/.test(suite.find(['region'], 'Connections')?.innerText ?? '')", 20,
                  "1,000 connections")
        # Until code is compiled, and the minute that the page draws is over: until then, its memory grows.
        tab.pause(65)
        for each in (tab, empty):
            each.evaluate(RECORDER)
        measure(checks, browser, pane, tab, empty, seconds)
        tab.close(), empty.close()
        pane.kill()
    finally:
        for each in processes:
            each.kill()
            each.wait()
        subprocess.run([world.program, "reset"], env=world.environment, capture_output=True)


def measure(checks, browser, pane, tab, empty, seconds):
    heaps, slow, found, frames, longest, used, lasted, updates = [], [], [], 0, 0, 0, 0, 0
    with Lateness() as lateness:
        for _ in range(seconds // SLICE):
            # The collection itself stops the page: outside of what is measured.
            heaps.append(tab.heap())
            tab.pause(0.5)
            browser.start_trace()
            for each in (empty, tab):
                each.evaluate("record.clear()")
            tab.evaluate("void performance.mark('suite-page')")
            asked, before, start = len(tab.requests), pane.processor_time(), time.monotonic()
            tab.pause(SLICE)
            used += pane.processor_time() - before
            lasted += time.monotonic() - start
            updates += sum("/v1/live" in each for each in tab.requests[asked:])
            page, beside = tab.evaluate(READ), empty.evaluate(READ)
            found += tasks(browser.end_trace())
            frames, longest = frames + page["frames"], max(longest, page["longest"])
            slow += unexplained(page["late"], beside["late"])
    # The longest first, by what they had of the processor.
    found.sort(key=lambda each: -each[1])
    long = [each for each in found if each[1] > FRAME]
    checks.check(f"{RULES} rules and {CONNECTIONS} connections: at most {PROCESSOR:.0%} of a core",
                 used / lasted <= PROCESSOR, f"{used / lasted:.1%} over {lasted:.0f} s")
    busy = sum(own for _, own in found) / 1000 / lasted
    words = (f"{len(long)} of {len(found)}, longest {found[0][1]:.0f} ms of the processor, "
             f"{max(took for took, _ in found):.0f} ms by the clock; the page's thread has {busy:.0%} of a core")
    checks.check(f"no task of the page over {FRAME} ms", not long, words)
    words = f"{len(slow)} of {frames}, longest {longest:.0f} ms, machine late by at most {lateness.most * 1000:.0f} ms"
    if lateness.most * 1000 < FRAME:
        checks.check(f"no frame over {FRAME} ms", not slow, words)
        checks.check("the page is told about ten times a second", 5 <= updates / lasted <= 10.5,
                     f"{updates / lasted:.1f} a second")
    else:
        # A frame then says nothing of the page; its tasks do.
        print(f"not judged, as the machine is busy: no frame over {FRAME} ms ({words}); "
              f"{updates / lasted:.1f} updates a second", flush=True)
    third = max(len(heaps) // 3, 1)
    first, last = (sorted(each)[len(each) // 2] for each in (heaps[:third], heaps[-third:]))
    checks.check("the page's memory is flat", last <= first * (1 + GROWTH) + ALLOWANCE,
                 f"{first / 1e6:.2f} MB, then {last / 1e6:.2f} MB")
