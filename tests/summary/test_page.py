"""The report as its readers meet it: in a browser, on a phone, on paper, by keyboard, and sent by someone hostile."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_digits, load_wine
from sklearn.dummy import DummyClassifier

import bayesfloor
from bayesfloor.decide._suspicious import SuspiciousLabels, take_scores
from bayesfloor.summary._figures import grow_class_tree
from bayesfloor.summary._html import make_page
from bayesfloor.summary._html_drawings import make_matrix
from bayesfloor.summary._verdict import reason_text

EVERY_DAY, NIGHTLY = ["wine", "hostile", "chosen"], ["digits"]
REPORTS = [*EVERY_DAY, *(pytest.param(name, marks=pytest.mark.slow(nightly=True)) for name in NIGHTLY)]
PAPER = 718  # pixels of A4 between margins of 10 mm
HOSTILE = [
    "<img src=x onerror=alert(1)>",
    '"><script>alert(2)</script>',
    'it\'s "quoted" `so`',
    "{{7*7}}{% raw %}",
    "\x1b[31mred\x1b[0m",
    "two\nlines\r\n",
    "W" * 200,
    "W" * 199 + "X",
    "😀👩‍👩‍👧🏳️‍🌈",
    "漢字かな한글",
    "عربي نص",
    "עברית",
    "\u202egnp.exe",
    "",
    "12",
    "12 ",
    "</style></title>",
    "javascript:alert(3)",
]
NAME = '<b>"\u202e\x1b[31m{{7*7}}' + "x" * 200 + ".csv"
UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clusters(rng, n_classes, each, n_features=3, spread=1.5):
    """Rows of so many classes, which overlap somewhat."""
    codes = np.repeat(np.arange(n_classes), each)
    centres = spread * rng.normal(size=(n_classes, n_features))
    return centres[codes] + rng.normal(size=(len(codes), n_features)), codes


def show_rows(check, n_rows):
    """The same check with so many rows to look at."""
    places = np.arange(n_rows)
    scores = take_scores(check.samples, places)
    labels = check.pairwise.classes[places % len(check.labels)]
    return replace(check, suspicious=SuspiciousLabels(scores, places[::-1].copy(), labels, n_rows, 0))


def wait_until(page, is_so):
    """Ask a page until it is so: nobody knows how long a browser takes on a busy machine."""
    for _ in range(1200):
        if is_so():
            return
        page.wait_for_timeout(50)
    pytest.fail("the page never came to it")


@pytest.fixture(scope="module")
def digits_report():
    digits = load_digits()
    return make_page(
        bayesfloor.check(digits.data, digits.target, name="digits"), images=(255 / 16 * digits.images).astype("uint8")
    )


@pytest.fixture(scope="module")
def wine_report():
    return make_page(bayesfloor.check(*load_wine(return_X_y=True), target=0.98, name="wine"))


@pytest.fixture(scope="module")
def hostile_check(quick_check):
    """Labels, learners and a name that try to break out, to run, to mislead and to burst their boxes."""
    X, codes = clusters(np.random.default_rng(0), len(HOSTILE), 50, spread=2.5)
    learners = {name: DummyClassifier() for name in HOSTILE[:3]} | {NAME: DummyClassifier(strategy="constant")}
    labels = np.array(HOSTILE, dtype=object)[codes]
    found = quick_check(X, labels, name=NAME, learners=learners, predictions=labels[::-1])  # and a chart with labels
    return show_rows(found, 26)


@pytest.fixture(scope="module")
def hostile_report(hostile_check):
    """The same with hostile names of rows and columns, hostile values and a hostile command line."""
    n = len(hostile_check.samples.row)
    texts = np.array(HOSTILE, dtype=object)
    turned = {name: texts[(np.arange(n) + k) % len(texts)] for k, name in enumerate(HOSTILE[::4])}
    return make_page(
        hostile_check,
        ids=[HOSTILE[row % len(HOSTILE)] for row in range(n)],
        features=pa.table({**turned, "<b>number": np.linspace(0, 1e9, n)}),
        command="bayesfloor report '" + NAME + "'",
    )


@pytest.fixture(scope="module")
def chosen_check(quick_check):
    """A model, where all names are hostile."""
    X, codes = clusters(np.random.default_rng(0), len(HOSTILE), 30, n_features=6, spread=2.5)
    y = np.array(HOSTILE, dtype=object)[codes]
    return quick_check(X, y, predictions=np.where(np.arange(len(y)) % 4, y, np.roll(y, 30)))


@pytest.fixture(scope="module")
def chosen_report(chosen_check):
    return make_page(chosen_check)


@pytest.fixture(scope="module", params=REPORTS)
def report(request):
    return request.getfixturevalue(f"{request.param}_report")


def unfold(page):
    page.evaluate("document.querySelectorAll('details').forEach(it => it.open = true)")


def rgb(colour):
    return [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]


def luminance(colour):
    parts = (part / 255 for part in rgb(colour))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, two):
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


# Colour of each element that a selector finds, and of the first opaque thing behind it.
COLOURS = """([selector, property]) => [...document.querySelectorAll(selector)].map(it => {
  let behind = property === 'backgroundColor' ? it.parentElement : it;
  while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
  return [getComputedStyle(it)[property], getComputedStyle(behind).backgroundColor];
})"""

# Whatever reaches beyond the window without a region of its own to scroll in.
OUTSIDE = """() => [...document.querySelectorAll('body *')].filter(it => {
  const box = it.getBoundingClientRect();
  return box.width && !it.closest('.skip') && (box.right > innerWidth + 1 || box.left < -1)
    && !it.parentElement.closest('.scroll, pre');
}).map(it => it.outerHTML.slice(0, 120))"""

# Boxes whose content is wider than they are.
BURST = """() => [...document.querySelectorAll(
  '.lead, .top > div, .cards > li, .findings > li, .line, dd, summary, h1, h2, h3'
)].filter(it => it.scrollWidth > it.clientWidth + 1).map(it => it.outerHTML.slice(0, 120))"""

# Rectangles of elements: left, top, right, bottom.
BOXES = """selector => [...document.querySelectorAll(selector)].map(it => {
  const box = it.getBoundingClientRect();
  return [box.left, box.top, box.right, box.bottom];
})"""


def overlaps(boxes):
    """Pairs of rectangles that share more than a hair."""
    boxes = np.array(boxes)
    low, high = np.maximum(boxes[:, None, :2], boxes[None, :, :2]), np.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    return np.argwhere(np.triu((high - low > 0.5).all(axis=2), 1)).tolist()


def test_the_measures_of_this_file_find_planted_faults(open_page, wine_report):
    """A measure that never barks guards nothing."""
    page = open_page(wine_report, width=390).page
    assert page.evaluate(OUTSIDE) == page.evaluate(BURST) == []
    page.evaluate("document.querySelector('.lead').style.whiteSpace = 'nowrap'")
    page.evaluate("document.querySelector('.lead').textContent = 'W'.repeat(200)")
    page.evaluate("document.querySelector('main > section > .hint').style.width = '2000px'")
    page.evaluate("document.querySelector('main > section > .hint').style.maxWidth = 'none'")
    assert len(page.evaluate(OUTSIDE)) >= 1
    assert len(page.evaluate(BURST)) >= 1
    assert overlaps([[0, 0, 2, 2], [1, 1, 3, 3], [2, 0, 4, 1]]) == [[0, 1]]
    assert contrast("rgb(0, 0, 0)", "rgb(255, 255, 255)") == pytest.approx(21)
    assert contrast("rgb(118, 118, 118)", "rgb(255, 255, 255)") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow(nightly=True))])
def test_a_report_is_quiet_and_accessible(open_page, axe, sideways, report, scheme):
    """Reports are mailed to people whom nobody asked about their eyes, their network or their scheme."""
    opened = open_page(report, scheme=scheme)
    unfold(opened.page)
    assert axe(opened.page) == []
    assert sideways(opened.page) == 0
    assert opened.page.evaluate(OUTSIDE) == []
    assert opened.page.evaluate(BURST) == []
    assert opened.complaints == []


def test_a_report_fits_on_a_phone(open_page, sideways, report):
    """Half of all mail is read there, and what runs out to the side stays unread."""
    page = open_page(report, width=390).page
    unfold(page)
    assert sideways(page) == 0
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(BURST) == []


def test_tables_need_no_scrolling_on_a_phone(open_page, axe, wine_report):
    """Columns that stand outside the window are not read; rows that are stacked must remain rows to a screen reader."""
    page = open_page(wine_report, width=390).page
    unfold(page)
    assert page.locator(".traits, .classes, .pairs").count() >= 4
    wide = "it => it.scrollWidth > it.clientWidth + 1"
    assert (
        page.evaluate(f"[...document.querySelectorAll('.scroll:has(.traits, .classes, .pairs)')].some({wide})") is False
    )
    assert axe(page) == []


def test_a_report_reads_without_javascript(open_page, visible_text, report):
    """Mail programs and careful people switch scripts off."""
    opened = open_page(report, javascript=False)
    text = visible_text(opened.page)
    for title in re.findall(r"<h2[^>]*>([^<]+)</h2>", report):
        assert title in text
    for part in ("lowest possible error", "Reliability: ", "cross-validated", "tree bounds", "guessing: ", "versions"):
        assert part in text
    assert opened.complaints == []


def test_a_report_prints_in_ink_with_nothing_folded_or_cut(open_page, report):
    """On paper nobody unfolds or scrolls, and a dark page is a waste of ink."""
    page = open_page(report, scheme="dark", media="print", width=PAPER).page
    for part in ("body", "documentElement"):
        assert luminance(page.evaluate(f"getComputedStyle(document.{part}).backgroundColor")) > 0.9
    assert not page.is_visible("nav")
    for summary in page.query_selector_all("details > :nth-child(2)"):
        assert summary.is_visible()
    wide = page.evaluate(
        "() => [...document.querySelectorAll('main *')].filter(it => it.getBoundingClientRect().right > innerWidth + 1)"
        ".map(it => it.outerHTML.slice(0, 120))"
    )
    assert wide == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_of_one_colour_to_its_edges(open_page, wine_report, scheme):
    """A browser that scrolls past the end shows what is behind the body."""
    page = open_page(wine_report, scheme=scheme).page
    colours = page.evaluate("[document.body, document.documentElement].map(it => getComputedStyle(it).backgroundColor)")
    assert colours[0] == colours[1]


class Outline(HTMLParser):
    """What a page is made of, as a parser that knows no browser sees it."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def outline(report):
    return Outline(report)


def test_a_report_has_nothing_that_runs_or_fetches(outline, report):
    """The policy is the second wall; this is the first."""
    assert not {tag for tag, _ in outline.tags} & {"script", "link", "iframe", "object", "embed", "base", "form"}
    for _, attributes in outline.tags:
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
        assert attributes.get("src", "data:image/").startswith("data:image/")
        assert not set(attributes) & {"srcset", "action", "formaction", "background", "poster", "ping"}
        assert attributes.get("xlink:href", "#").startswith("#")
        assert "url(" not in attributes.get("style", "")
    style = re.search(r"<style>(.*?)</style>", report, re.DOTALL)[1]
    assert "url(" not in style
    assert "@import" not in style


def test_a_report_has_the_parts_that_browsers_and_screen_readers_need(outline, report):
    """A late charset garbles labels; readers jump by headings; links lead somewhere; what cannot be seen has words."""
    assert report.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
    assert len(outline.all("title")) == len(outline.all("h1")) == len(outline.all("main")) == 1
    assert re.search(r"<title>[^<]+</title>", report)
    policy = next(meta["content"] for meta in outline.all("meta") if "http-equiv" in meta)
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")

    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))

    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert max(Counter(ids).values()) == 1
    assert {link["href"][1:] for link in outline.all("a")} <= set(ids)
    assert {attributes["aria-labelledby"] for _, attributes in outline.tags if "aria-labelledby" in attributes} <= set(
        ids
    )

    heads = outline.all("th")
    assert all(head.get("scope") in ("row", "col") for head in heads)
    assert len(outline.all("thead")) == len(outline.all("table"))
    assert all(image["alt"] for image in outline.all("img"))
    regions = [it for tag, it in outline.tags if "scroll" in it.get("class", "").split() or tag == "pre"]
    assert regions
    assert all(it["tabindex"] == "0" and it["role"] == "group" and it["aria-label"] for it in regions)


def test_the_policy_of_the_page_is_in_force(open_page, wine_report):
    """Should a label ever get out, it neither runs nor calls home."""
    opened = open_page(wine_report)
    opened.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"document.title=1\">')")
    opened.page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'document.title = 1'}))"
    )
    wait_until(opened.page, lambda: len(opened.csp) >= 2)
    assert opened.page.title().startswith("wine: ")


def test_hostile_texts_stay_texts(open_page, hostile_report):
    """Whoever names a class or a file must not get to write the report."""
    opened = open_page(hostile_report)
    page, dialogs = opened.page, []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    unfold(page)
    page.wait_for_timeout(100)
    assert dialogs == []
    assert page.query_selector_all("main img, script, main b > b, main a:not([href^='#'])") == []
    text = page.inner_text("main")
    assert "<img src=x onerror=alert(1)>" in text
    assert '"><script>alert(2)</script>' in text
    assert "{{7*7}}{% raw %}" in text
    assert "49{%" not in text
    assert opened.complaints == []


def test_the_first_screen_has_the_answer(open_page, visible_text, wine_report):
    """Thirty seconds: the verdict, how reliable it is beside it, the number line, and what was found."""
    page = open_page(wine_report, width=1280, height=900).page
    places = [page.locator(f"#verdict {it}").first.bounding_box() for it in ("h1", ".lead", ".ruler", ".findings li")]
    assert all(after["y"] >= before["y"] for before, after in pairwise(places))
    beside = page.locator("#verdict .reliability").bounding_box()
    assert beside["y"] < places[1]["y"]
    assert beside["x"] >= places[0]["x"] + places[0]["width"]
    assert max(box["y"] + box["height"] for box in places) < 900
    assert "98 % accuracy" in visible_text(page)


def test_without_a_lower_end_and_without_a_curve_the_page_says_so(open_page, visible_text):
    """Two rows of each class are the least that anybody has."""
    check = bayesfloor.check(np.arange(12.0).reshape(6, 2), [0, 0, 1, 1, 2, 2], target=0.9)
    text = visible_text(open_page(make_page(check)).page)
    assert "Reliability: upper limit only" in text
    assert reason_text(check.answer.reasons[0])[1:] in text
    assert "these data give no lower limit" in text
    curve = replace(check.answer.curve, **{name: v[:0] for name, v in check.answer.curve._columns().items()})
    nothing = replace(check, target=None, answer=replace(check.answer, curve=curve, best="", errors={}))
    assert "Learning curve" not in make_page(nothing)


def test_learners_that_had_no_part_are_named_with_the_reason(hostile_report, open_page):
    """Whoever passed one wants to know why it is not there."""
    how = open_page(hostile_report).page.inner_text("#how")
    assert "left out" in how
    assert "could not be trained" in how


def test_a_report_has_no_character_that_hides_or_turns_text(report):
    """A name that turns the text around, or an escape of a terminal, could make a report say its opposite."""
    assert UNSEEN.findall(report) == []


def test_labels_that_differ_look_different(open_page, hostile_check, hostile_report):
    """Two classes under one name would be read as one."""
    labels = make_matrix(hostile_check).labels
    page = open_page(hostile_report).page
    for scope in ("thead th", "tbody th"):
        shown = [it.inner_text().strip() for it in page.query_selector_all(f".matrix {scope}")]
        assert shown == labels
        assert len(set(shown)) == len(HOSTILE)
    drawn = [it.text_content() for it in page.query_selector_all("svg.tree text:not(.note)")]
    assert len(set(drawn)) == len(HOSTILE)


def test_the_whole_label_is_seen_wherever_there_is_one(open_page, hostile_report):
    """A label cut by its box looks like another one that starts alike."""
    page = open_page(hostile_report).page
    unfold(page)
    hidden = page.evaluate(
        "() => [...document.querySelectorAll('bdi, th span')].filter(it => it.scrollWidth > it.clientWidth + 1"
        " && getComputedStyle(it).overflow !== 'visible').map(it => it.outerHTML.slice(0, 120))"
    )
    assert hidden == []


@pytest.mark.parametrize("width", [390, 1280])
def test_cells_of_the_matrix_are_equal_and_cards_do_not_touch(open_page, hostile_report, width):
    """A long label must not push its neighbours about."""
    page = open_page(hostile_report, width=width).page
    unfold(page)
    cells = np.array(page.evaluate(BOXES, ".matrix tbody td"))
    for size in (cells[:, 2] - cells[:, 0], cells[:, 3] - cells[:, 1]):
        assert np.ptp(size) < 1.5
    for selector in (".cards > li", ".matrix td, .matrix th"):
        assert overlaps(page.evaluate(BOXES, selector)) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_that_axe_does_not_judge_are_told_apart(open_page, report, scheme):
    """Axe is silent on drawings, bars and marks; readers with weak eyes would not be."""
    page = open_page(report, scheme=scheme).page
    texts = page.evaluate(COLOURS, ["svg.tree text", "fill"]) + page.evaluate(COLOURS, [".matrix td", "color"])
    assert min(contrast(*pair) for pair in texts) >= 4.5
    marks = ".bar.range, .mark, .meter i"
    lines = page.evaluate(COLOURS, ["svg.tree path:not(.lead), .field path:not(.grid, .band)", "stroke"])
    shown = page.evaluate(COLOURS, [marks, "backgroundColor"])
    shown += page.evaluate(COLOURS, [".bar.trees, .target", "borderLeftColor"]) + lines
    assert min(contrast(*pair) for pair in shown) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_step_of_colour_can_be_read(open_page, wine_report, scheme):
    """A dataset seldom has all steps; a reader meets the one that nobody looked at."""
    page = open_page(wine_report, scheme=scheme).page
    page.evaluate("document.querySelectorAll('.matrix tbody td').forEach((it, k) => it.className = 's' + k)")
    page.evaluate("document.querySelector('.matrix tbody tr').insertCell().className = 's9'")
    steps = page.evaluate(COLOURS, [".matrix tbody td", "color"])
    assert len({behind for _, behind in steps}) == 10
    assert min(contrast(*pair) for pair in steps) >= 4.5


def test_the_schemes_differ(open_page, wine_report):
    """Else the tests of the dark one would test the light one twice."""
    behind = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        luminance(open_page(wine_report, scheme=scheme).page.evaluate(behind)) for scheme in ("light", "dark")
    )
    assert light > 0.9
    assert dark < 0.05


def press_tab(page, times):
    """Tags and texts of what the Tab key comes to."""
    seen = []
    for _ in range(times):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("[document.activeElement.tagName, document.activeElement.textContent.trim()]"))
    return seen


def test_a_keyboard_is_enough(open_page, digits_report):
    """Not everyone has a mouse, or hands for one."""
    page = open_page(digits_report).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    stops = press_tab(page, 10)
    assert [text for _, text in stops] == [
        "Verdict",
        "More rows",
        "Pairs",
        "Classes",
        "Features",
        "Labels",
        "Class tree",
        "How we know",
        "Glossary",
        "Reproduce",
    ]
    rest = press_tab(page, 8)
    assert {"DIV", "SUMMARY"} <= {tag for tag, _ in rest}
    page.focus("#tree summary")
    page.keyboard.press("Enter")
    page.locator("#tree pre").wait_for(state="visible")


def is_past_the_bar(page, heading):
    """Whether a heading stands free below the bar; bounding boxes need no JavaScript."""
    bar, title = (page.locator(it).bounding_box() for it in ("nav", heading))
    return bar["y"] + bar["height"] <= title["y"] < 200


@pytest.mark.parametrize("javascript", [True, False])
def test_links_go_past_the_bar_at_the_top(open_page, digits_report, javascript):
    """A heading under the bar looks as if the link had failed."""
    page = open_page(digits_report, javascript=javascript).page
    page.keyboard.press("Tab")
    page.locator("a.skip:focus").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("#verdict$"))  # a key returns before the page has gone anywhere
    page.click("nav a[href='#classes']")
    wait_until(page, lambda: is_past_the_bar(page, "#h-classes"))  # it scrolls


def texts_of_tree(page):
    """Rectangles of all texts in the drawing, and that of the drawing."""
    return page.evaluate(BOXES, "svg.tree text"), page.evaluate(BOXES, "svg.tree")[0]


def assert_tree_is_tidy(page):
    """No text over another, none cut off."""
    texts, (left, top, right, bottom) = texts_of_tree(page)
    assert overlaps(texts) == []
    for x0, y0, x1, y1 in texts:
        assert left <= x0 < x1 <= right
        assert top <= y0 < y1 <= bottom + 1


@pytest.mark.parametrize("cut", ["average", "min_cut"])
def test_a_tree_with_long_labels_is_tidy(open_page, hostile_check, cut):
    """Browsers choose the letters, so that nobody knows how wide a label gets."""
    tree = grow_class_tree(hostile_check.pairwise, cut, hostile_check.pairs)
    page = open_page(make_page(replace(hostile_check, tree=tree))).page
    assert_tree_is_tidy(page)


@pytest.mark.slow(nightly=True)
def test_sixty_classes_are_drawn_and_sixty_one_are_written(open_page, rng, quick_check):
    """Beyond that a drawing is no help any more, but the text still is."""
    for n_classes in (60, 61):
        X, codes = clusters(rng, n_classes, 8)
        page = open_page(make_page(quick_check(X, codes))).page
        assert page.is_visible("#tree pre") is (n_classes == 61)
        if n_classes == 60:
            assert_tree_is_tidy(page)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(
    ("shift", "target"), [(0.0, None), (0.0, 0.5), (1.5, 0.999), (1.5, 0.8), (9.0, None), (9.0, 0.9)]
)
def test_texts_of_the_ruler_do_not_meet(open_page, rng, quick_check, shift, target, width):
    """Errors crowd near zero, guessing is at one half, targets are anywhere: each can be read."""
    codes = np.repeat([0, 1], 60)
    X = rng.normal(size=(120, 2)) + shift * codes[:, None]
    page = open_page(make_page(quick_check(X, codes, target=target)), width=width).page
    boxes = page.evaluate(BOXES, ".ruler .places span, .ruler .name:not(:empty), .ruler .value:not(:empty)")
    assert overlaps(boxes) == []
    assert min(left for left, *_ in boxes) >= 0
    assert max(right for _, _, right, _ in boxes) <= width


@pytest.mark.slow
def test_ten_classes_stay_small(digits_report):
    """A report must pass every mail server."""
    assert len(digits_report.encode()) < 200_000


@pytest.mark.slow
def test_the_size_does_not_depend_on_the_number_of_rows(rng, quick_check):
    """Millions of rows must not make a page that no browser opens."""
    sizes = []
    for each in (50, 500):
        X, codes = clusters(rng, 10, each, spread=1.0)
        sizes.append(len(make_page(show_rows(quick_check(X, codes), 60)).encode()))
    assert abs(sizes[1] - sizes[0]) < 0.05 * sizes[0]


@pytest.fixture(scope="module")
def thousand(quick_check):
    """A thousand classes with labels of 200 signs that grow when escaped."""
    X, codes = clusters(np.random.default_rng(0), 1000, 2)
    return show_rows(quick_check(X, np.array([f"{k:04d}" + '"' * 196 for k in range(1000)])[codes], n_trees=1), 60)


@pytest.mark.slow(nightly=True)
def test_a_thousand_long_labels_and_pictures_stay_below_two_megabytes(thousand, open_page, sideways):
    """The worst case opens, too: noise in colours is what no picture format makes small."""
    images = np.random.default_rng(0).integers(0, 256, (60, 96, 96, 3), dtype=np.uint8)
    page = make_page(thousand, images=images)
    assert len(page.encode()) < 2_000_000
    assert page.count("<img ") >= 2 * 24
    opened = open_page(page, width=390)
    assert sideways(opened.page) == 0
    assert opened.complaints == []


def test_a_report_is_one_file(tmp_path):
    """One file is what can be mailed."""
    check = bayesfloor.check(*load_wine(return_X_y=True), name="wine")
    path = check.to_html(tmp_path / "my wine #1.html", command="bayesfloor report wine.csv")
    assert list(tmp_path.iterdir()) == [path]
    assert "bayesfloor report wine.csv" in path.read_text("utf-8")


def test_values_of_rows_are_shown_only_when_given(hostile_check):
    """Reports get mailed, and rows may be people."""
    secret = np.full((len(hostile_check.samples.row), 2), 123.456)
    assert "Features</summary>" not in make_page(hostile_check)
    page = make_page(hostile_check, features=secret)
    assert page.count("Features</summary>") == 26
    assert "123.456" in page


def test_a_name_that_does_not_print_is_left_out_of_the_title(hostile_report):
    """Tabs of a browser show titles raw, and U+202E would turn them around."""
    title = re.search(r"<title>(.*?)</title>", hostile_report)[1]
    assert title.isprintable()
    assert "x" * 200 not in title


@pytest.mark.slow
def test_pictures_are_the_same_every_time(chosen_check, chosen_report):
    """Equal data, equal file."""
    assert make_page(chosen_check) == chosen_report
