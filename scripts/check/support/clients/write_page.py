# SPDX-License-Identifier: Apache-2.0
"""Puts the clients and the tables of scripts/check/clients into clients.md beside it:
write_page.py TABLES PYTHON CLIENT...

What stands between two markers is replaced; the words around them are written by hand."""

import os
import re
import subprocess
import sys

PAGE = "scripts/check/clients.md"
VARIABLES = {
    "$quiet ": "", "$retry": "--max-time 5 --retry 5 --retry-all-errors", "$url": "URL", "$tls": "HTTPS-URL",
    "$python $here/": "python3 ", "/usr/bin/python3 $here/": "python3 ", "node $here/node/": "node ",
    "-cp $WORK/java ": "", "$WORK/go-client": "go-client", '"$WORK/': '"', "$PWD/": "", "with_resolver ": "",
    "--tls-keylog=${SSLKEYLOGFILE:-keys} $here/node/": "",
}


def versions(packages):
    """The version of each Debian package, as far as the machine has it."""
    words = ["dpkg-query", "--show", "--showformat", "${Package} ${Version}\n", *sorted(packages)]
    lines = subprocess.run(words, capture_output=True, text=True).stdout.splitlines()
    # Debian's own part of a version says nothing of a client.
    return [re.sub(r" (?:\d+:)?([^-+~ ]*).*", r" \1", line) for line in lines if not line.endswith(" ")]


def python_versions(python, packages):
    names = sorted({re.sub(r"\[.*", "", name) for name in packages})
    code = "import importlib.metadata as m, platform, sys\nprint('Python', platform.python_version())\n"
    code += "for name in sys.argv[1:]: print(name, m.version(name))"
    return subprocess.run([python, "-c", code, *names], check=True, capture_output=True, text=True).stdout.splitlines()


def replaced(text, name, content):
    begin, end = f"<!-- {name}: made by scripts/check/clients -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n{content.strip()}\n{end}{rest.partition(end)[2]}"


def main():
    tables, python, *names = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    rows, debian, pypi = ["| client | from | what runs |", "|---|---|---|"], {"tshark"}, set()
    with open(f"{here}/clients.txt") as file:
        for line in file:
            name, server, packages, modules, words = [part.strip() for part in line.split("|", 4)] if "|" in line else [""] * 5
            if name not in names:
                continue
            debian.update(packages.split())
            pypi.update(modules.split())
            for old, new in VARIABLES.items():
                words = words.replace(old, new)
            own = [re.sub(r"\[.*", "", module) for module in modules.split() if not module.startswith("hypercorn") or server != "asgi"]
            rows.append(f"| {name} | {' '.join([*packages.split(), *own]) or 'Python'} | `{words.replace('|', chr(92) + '|')}` |")
    with open(tables) as file:
        text = file.read()
    summary = re.search(r"<!-- (.*) -->", text)
    found = "\n".join(["Versions: " + ", ".join(versions(debian) + python_versions(python, pypi)) + ".", "",
                       f"The run that these tables show: {summary[1]}." if summary else ""])
    with open(PAGE) as file:
        page = file.read()
    page = replaced(page, "clients", "\n".join(rows) + "\n\n" + found)
    page = replaced(page, "verdicts", re.sub(r"<!-- .* -->", "", text))
    with open(PAGE, "w") as file:
        file.write(page)


if __name__ == "__main__":
    main()
