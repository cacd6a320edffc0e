"""One style: few colours, readable in grey and by colour-blind eyes, and SVG that follows the page."""

import re
from itertools import combinations
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from bayesfloor.plotting import SampleScoreDisplay
from bayesfloor.plotting._display import COLOURS, css_colours, svg_with_css_colours
from bayesfloor.plotting._pairwise_display import luminance

# Machado, Oliveira and Fernandes 2009, table 1, severity 1: what a deuteranope sees, in linear RGB.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
)


def rgb(colour):
    """Red, green and blue from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(colour):
    """Light, as a screen emits it."""
    values = rgb(colour)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, two):
    """Contrast as WCAG 2 defines it, from 1 to 21."""
    low, high = sorted(luminance(np.array([rgb(one), rgb(two)])))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_text_can_be_read_on_its_page(page):
    """Contrast of 4.5 for text and 3 for marks (WCAG 2.2, 1.4.3 and 1.4.11)."""
    paper = COLOURS["paper"][page]

    assert all(contrast(COLOURS[name][page], paper) > 4.5 for name in ("ink", "soft", "strong"))
    assert contrast(COLOURS["strong"][page], COLOURS["light"][page]) > 3


@pytest.mark.parametrize("page", [0, 1], ids=["light", "dark"])
def test_fills_differ_in_grey_and_for_colour_blind_eyes(page):
    """What lies side by side differs in lightness, so that no hue is needed."""
    fills = [COLOURS[name][page] for name in ("paper", "light", "middle", "strong")]
    seen = [(DEUTERANOPIA @ linear(fill)).clip(0, 1) @ [0.2126, 0.7152, 0.0722] for fill in fills]

    assert min(contrast(*pair) for pair in combinations(fills, 2)) > 1.25
    assert all(np.diff(luminance(np.array([rgb(fill) for fill in fills]))) * np.diff(seen) > 0)


@pytest.fixture(scope="module")
def svg():
    """A display as SVG."""
    display = SampleScoreDisplay(np.arange(50.0), np.arange(50) > 47).plot()
    display.ax_.text(1, 1, '</text><b>&"style="fill: #24292f" --> -->')
    return svg_with_css_colours(display.figure_, "scores")


def test_colours_of_an_svg_are_variables_with_a_fallback(svg):
    """A page can set them; a viewer that knows no variables shows the light ones."""
    styles = " ".join(re.findall(r'(?:style|fill)="[^"]*"', re.sub(r"<text.*?</text>", "", svg)))
    light = {name: pair[0] for name, pair in COLOURS.items()}

    assert set(re.findall(r"var\(--figure-(\w+), (#\w+)\)", styles)) <= set(light.items())
    assert not re.search(r"#[0-9a-f]{6}", re.sub(r"var\(.*?\)", "", styles))
    assert all(f"--figure-{name}:light-dark({pair[0]},{pair[1]});" in css_colours() for name, pair in COLOURS.items())


def test_an_svg_is_one_element_without_anything_that_reaches_the_page(svg):
    """Styles for every element, ids of other pictures and dates have no place in a report."""
    ids = re.findall(r' id="([^"]*)"', svg)

    assert ET.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own text
    assert svg.startswith("<svg ")
    assert not re.search(r"<style|<metadata|<\?|<!|DejaVu", svg)
    assert ids
    assert all(f"#{one}" in svg for one in ids)


def test_text_of_an_svg_stays_text_and_is_escaped(svg):
    """It can be searched and read aloud, and a label is never markup."""
    texts = [one.text for one in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]  # noqa: S314

    assert '</text><b>&"style="fill: #24292f" --> -->' in texts


def test_the_same_picture_is_the_same_svg_and_names_keep_ids_apart():
    """Reports are compared byte by byte; two pictures on a page must not share clip paths."""
    one, two, other = (
        svg_with_css_colours(SampleScoreDisplay(np.arange(50.0), np.arange(50) > 47).plot().figure_, name)
        for name in ("a", "a", "b")
    )

    assert one == two
    assert not set(re.findall(r' id="([^"]*)"', one)) & set(re.findall(r' id="([^"]*)"', other))
