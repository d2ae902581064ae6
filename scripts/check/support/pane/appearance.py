# SPDX-License-Identifier: Apache-2.0
"""How the page looks: three sizes, light and dark, and axe-core's rules."""
import json

from user import User

SIZES = {360: 740, 768: 1024, 1280: 900}
SCHEMES = ("light", "dark")
# Rules beyond WCAG that need no judgement, too.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def states(world, tab):
    """The page in each of its states, by name."""
    user = User(tab)
    user.until_off()
    user.choose("Slow Net")
    yield "chosen"
    world.linkcond("apply", "slow-net", "-i", world.INTERFACE)
    world.linkcond("apply", "3g", "-i", world.INTERFACE, "--port", "443", "--for", "10m")
    tab.until("/2 rules|Slow Net/.test(suite.find(['banner'], '')?.innerText)", 10, "two rules")
    tab.pause(1.5)
    yield "on"
    user.fill("Delay, down", "1 furlong")
    user.complaint("Delay, down", "1 furlong")
    yield "wrong"
    user.drop()
    world.linkcond("off")
    user.until_suspended()
    yield "suspended"
    world.linkcond("reset")
    user.until_off()


def overflow(tab):
    """What is wider than the window, and by how many pixels."""
    return tab.evaluate("""(() => {
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        if (wide <= 0) return "";
        const guilty = [...document.querySelectorAll("body *")].filter((each) => each.getBoundingClientRect().right
            > document.documentElement.clientWidth + 1)
            .slice(0, 3).map((each) => `${each.localName}.${each.className}`);
        return `${wide} pixels: ${guilty.join(", ")}`; })()""")


def cut(tab):
    """Buttons and labels whose text does not fit in them."""
    return tab.evaluate("""[...document.querySelectorAll("button, label, th, h2")].filter((each) => suite.seen(each)
        && each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "hidden"
        && !each.title && each.clientWidth > 1 && getComputedStyle(each).position !== "absolute")
        .map((each) => `${each.localName} '${suite.name(each).slice(0, 40)}'`)""")


def findings(tab, axe):
    tab.evaluate("typeof axe === 'object' || undefined") or tab.evaluate(f"(() => {{ {axe}; return true; }})()")
    found = tab.evaluate(f"""axe.run(document, {{ runOnly: {json.dumps(TAGS)} }}).then((all) => all.violations.flatMap(
        (rule) => rule.nodes.slice(0, 3).map((node) => `${{rule.id}} (${{rule.impact}}): ${{node.target.join(" ")}}: `
            + (node.any[0] ?? node.all[0] ?? node.none[0])?.message)))""")
    return found


def check(world, checks, tab, axe, screenshots):
    passed = tab.evaluate(f"(() => {{ {axe}; return axe.version; }})()")
    print(f"axe-core {passed}", flush=True)
    for state in states(world, tab):
        for width, height in SIZES.items():
            tab.resize(width, height)
            for scheme in SCHEMES:
                tab.scheme(scheme)
                tab.pause(0.3)
                name = f"{tab.name}, {state}, {width} pixels, {scheme}"
                wide, short, found = overflow(tab), cut(tab), findings(tab, axe)
                wrong = [f"{wide} too wide"] if wide else []
                wrong += [f"cut: {each}" for each in short] + [f"axe: {each}" for each in found]
                checks.check(f"{name}: fits, nothing is cut, and axe-core finds nothing", not wrong, "; ".join(wrong))
                if screenshots:
                    tab.picture(screenshots / f"pane-{state}-{width}-{scheme}.png")
        tab.resize(1280, 900)
        tab.scheme("light")
    focus_shows(checks, tab)


def focus_shows(checks, tab):
    """Each stop of the Tab key is in view and outlined, and the keys come round without a trap."""
    tab.evaluate("void document.activeElement?.blur()")
    stops, bad = [], []
    for _ in range(150):
        tab.press("Tab")
        now = tab.evaluate("document.activeElement === document.body ? null : suite.now()")
        if now is None or (len(stops) > 3 and (now["name"], now["role"]) == (stops[0]["name"], stops[0]["role"])):
            break
        stops.append(now)
        box = now["shown"]
        if now["outline"] == "none" or box["width"] < 1 or box["bottom"] <= 0 or box["top"] >= 900:
            bad.append(f"{now['role']} '{now['name'][:40]}': outline {now['outline']}, {box['width']:.0f} wide, "
                       f"at {box['top']:.0f}")
        if not now["name"]:
            bad.append(f"{now['role']} without a name")
    checks.check(f"{tab.name}: each stop of Tab is in view, outlined and named", len(stops) > 5 and not bad,
                 "; ".join(bad[:5]) or f"{len(stops)} stops")
