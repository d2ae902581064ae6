# SPDX-License-Identifier: Apache-2.0
"""Reads the recipes of a page of the guide: the blocks after "<!-- recipe: NAME -->", and the lines of shell."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "Sources/Programs/linkcond/linkcond.docc/continuous-integration.md"
BLOCK = re.compile(r"(?:<!-- recipe: (\S+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recipes() -> dict:
    """The text of each recipe, by its name."""
    return {name: text for name, _, text in BLOCK.findall(PAGE.read_text()) if name}


def lines() -> list:
    """Each line of shell, in the order of the page."""
    blocks = [text for _, language, text in BLOCK.findall(PAGE.read_text()) if language == "console"]
    whole = [line for text in blocks for line in text.replace("\\\n", "").splitlines()]
    return [line.removeprefix("$ ") for line in whole if line.startswith("$ ")]


def commands() -> list:
    """The words of each line of shell."""
    return [shlex.split(line, comments=True) for line in lines()]


def unnamed() -> list:
    """What looks like a recipe and has no name, so that nothing would check it."""
    blocks = BLOCK.findall(PAGE.read_text())
    return [text for name, language, text in blocks if not name and language not in ("console", "text")]


def section(title: str) -> str:
    """The text below a heading, up to the next one, without its blocks."""
    return BLOCK.sub("", PAGE.read_text()).partition(f"\n## {title}\n")[2].partition("\n## ")[0]
