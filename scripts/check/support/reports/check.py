# SPDX-License-Identifier: Apache-2.0
"""Opens the reports in a directory as their readers do: check.py DIRECTORY"""
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import junitparser
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

directory = Path(sys.argv[1])
passed = failed = 0


def check(what, is_right, details=""):
    global passed, failed
    passed, failed = passed + bool(is_right), failed + (not is_right)
    if not is_right:
        print(f"failed: {what}: {details}")


def browser():
    options = Options()
    for each in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]:
        options.add_argument(each)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def resize(driver, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def show(driver, page, width, scheme):
    resize(driver, width, 1200)
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    )
    driver.get(page.as_uri())


def unfold(driver):
    driver.execute_script("for (const each of document.querySelectorAll('details')) each.open = true")


def picture(driver, width, file):
    """Of the whole page."""
    resize(driver, width, min(driver.execute_script("return document.documentElement.scrollHeight"), 8000))
    driver.save_screenshot(str(file))


def requests(driver):
    """What the page asked for besides itself."""
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
    return [url for url in urls if not url.endswith("report.html")]


def check_page(driver, page, rules):
    name = page.parent.name
    for width in (360, 1024, 2560):
        for scheme in ("light", "dark"):
            place = f"{name} at {width} pixels, {scheme}"
            driver.get_log("browser"), driver.get_log("performance")
            show(driver, page, width, scheme)
            overflow = driver.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
            check(f"{place}: no overflow", overflow <= 0, f"{overflow} pixels")
            messages = [entry["message"] for entry in driver.get_log("browser")]
            check(f"{place}: no message on the console", not messages, messages)
            asked = requests(driver)
            check(f"{place}: no request", not asked, asked)
            check(f"{place}: nothing foreign runs", not driver.execute_script("return window.hostile"))
            picture(driver, width, page.parent / f"{name}-{width}-{scheme}.png")
            if width != 1024:
                continue
            dead = driver.execute_script(
                "return [...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))"
                ".filter(id => !document.getElementById(id))"
            )
            check(f"{place}: each link within the page has its end", not dead, dead)
            unfold(driver)
            driver.execute_cdp_cmd("Runtime.evaluate", {"expression": rules})
            found = driver.execute_async_script(
                "const done = arguments[arguments.length - 1];"
                "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map("
                "v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' '))));"
            )
            check(f"{place}: no violation of axe-core's rules", not found, found)


def check_bars(driver, page, report):
    """The bars stand where the connections were, within a pixel."""
    name = page.parent.name
    show(driver, page, 1024, "light")
    unfold(driver)
    timeline = report["timeline"]
    rows = driver.execute_script(
        "return [...document.querySelectorAll('.connection svg.plot')].map(plot => {"
        "const box = plot.getBoundingClientRect();"
        "return {width: box.width, bars: Object.fromEntries([...plot.querySelectorAll('rect')].map(bar => {"
        "const b = bar.getBoundingClientRect(); return [bar.getAttribute('class'), [b.left - box.left, b.right - box.left]];"
        "}))}; })"
    )
    connections = timeline["connections"]
    check(f"{name}: a row for each connection", len(rows) == len(connections), f"{len(rows)} of {len(connections)}")
    length = len(timeline["uplink"]["bytes"])
    begin = min(0, timeline["begin"]) if length else 0
    end = max(report["durationSeconds"], timeline["begin"] + length * timeline["step"] if length else 0)
    for row, connection in zip(rows, connections):
        # What was seen after the time that is drawn stands at its edge.
        place = lambda seconds: min(max((seconds - begin) / (end - begin), 0), 1) * row["width"]
        accepted = connection.get("accepted")
        wanted = {"connecting": (connection["begin"], connection["end"] if accepted is None else min(accepted, connection["end"]))}
        if "firstByte" in connection:
            wanted["answered"] = (min(connection["firstByte"], connection["end"]), connection["end"])
        for kind, times in wanted.items():
            drawn = row["bars"].get(kind)
            is_right = drawn and all(abs(place(time) - x) <= 1 for time, x in zip(times, drawn))
            check(f"{name}: {kind} of packet {connection['packet']}", is_right, f"{drawn}, not {[*map(place, times)]}")


def check_findings(driver, page, report):
    text = driver.execute_script("return document.body.innerText")
    for result in report["expectations"]:
        shown = result["finding"][:200]
        check(f"{page.parent.name}: the finding is shown", shown in text, shown)


def check_requests_and_output(driver, page, report):
    """Each request has a row, and what the command printed is shown."""
    name = page.parent.name
    rows = driver.execute_script(
        "return [...document.querySelectorAll('.request .state')].map(each => each.textContent)"
    )
    status = [str(request.get("status", "no answer")) for request in report["timeline"]["requests"]]
    check(f"{name}: a row for each request", rows == status, f"{rows}, not {status}")
    shown = driver.execute_script("return [...document.querySelectorAll('pre')].map(p => p.textContent).join('\\n')")
    for part in report["output"]:
        for line in part.get("lastLines", []):
            words = line.split("\x1b")[0].split("\u202e")[0]
            check(f"{name}: the output is shown", words in shown, words[:200])


def check_files(folder, report):
    name = folder.name
    schema = json.loads((folder / "report.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    mistakes = [each.message for each in jsonschema.Draft202012Validator(schema).iter_errors(report)]
    check(f"{name}: report.json is valid", not mistakes, mistakes)


def check_texts(folder, failures):
    name = folder.name
    suites = junitparser.JUnitXml.fromfile(str(folder / "junit.xml"))
    if failures is not None:
        check(f"{name}: junit.xml counts the failures", suites.failures == failures, suites.failures)
    cases = [case for suite in suites for case in suite]
    check(f"{name}: junit.xml has test cases", cases and all(case.name for case in cases))
    schema = ["xmllint", "--noout", "--schema", str(directory / "junit/junit-10.xsd"), str(folder / "junit.xml")]
    valid = subprocess.run(schema, capture_output=True, text=True, check=False)
    check(f"{name}: junit.xml is valid", valid.returncode == 0, valid.stderr)
    check_summary(folder)


def check_summary(folder):
    text = (folder / "summary.md").read_text()
    page = subprocess.run(["cmark", "--unsafe"], input=text, capture_output=True, text=True, check=True).stdout
    check(f"{folder.name}: summary.md has a heading", "<h2>" in page, page[:200])
    check(f"{folder.name}: summary.md lets no markup through", "<script" not in page and "<img" not in page)


wheel = next((directory / "axe").glob("*.whl"))
rules = zipfile.ZipFile(wheel).read("axe_core_python/axe.min.js").decode()
driver = browser()
try:
    for page in sorted(directory.glob("*/report.html")):
        folder = page.parent
        check_page(driver, page, rules)
        if (folder / "report.json").exists():
            report = json.loads((folder / "report.json").read_text())
            failures = sum(each["verdict"] == "fail" for each in report["expectations"])
            failures += report["outcome"] != {"exited": 0}
            check_bars(driver, page, report)
            check_findings(driver, page, report)
            check_requests_and_output(driver, page, report)
            check_files(folder, report)
            check_texts(folder, failures)
        elif (folder / "junit.xml").exists():
            check_texts(folder, None)
        elif folder.name != "verify":  # whose page is all it writes
            check_summary(folder)
finally:
    driver.quit()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
