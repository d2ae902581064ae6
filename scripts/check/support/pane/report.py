# SPDX-License-Identifier: Apache-2.0
"""A run's report in a frame of its own, whose scripts reach neither the page nor its API."""
from world import must


def check(world, checks, browser):
    folder = world.work / "report"
    must(world.program, "run", "--offline", "slow-net", "--report", str(folder), "--", "ping", "-c", "2", "127.0.0.1",
         env=world.environment)
    # As a report that somebody else has made may do.
    page = folder / "report.html"
    attack = ("<script>fetch('/v1/pane').then((a) => { parent.document.title = 'reached'; })</script>"
              "<script>try { parent.document.title = 'reached' } catch { } </script>")
    page.write_text(page.read_text().replace("</body>", attack + "</body>"))
    pane = world.pane("--report", str(folder))
    tab = browser.tab()
    tab.resize(1280, 900)
    tab.open(pane.address)
    frame = "document.querySelector('iframe')"
    tab.until(f"{frame} !== null", 10, "the report's frame")
    tab.pause(1)
    shown = [each["url"] for each in browser.connection.call("Target.getTargets")["targetInfos"]]
    checks.check("a run's report is shown in a frame", f"{pane.origin}/report/report.html" in shown, wrong=shown)
    box = tab.evaluate(f"(({{ top, height }}) => [top, height])({frame}.getBoundingClientRect())")
    checks.check("the report fills the page", box[0] < 5 and box[1] > 890, f"top {box[0]:.0f}, height {box[1]:.0f}")
    own = tab.evaluate(f"{frame}.contentDocument === null")
    checks.check("it reaches neither the page nor its API", own and tab.title() != "reached", tab.title())
    tab.close()
    pane.kill()
