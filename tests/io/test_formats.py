"""Tests of how texts write numbers, truth values, dates and times."""

import numpy as np
import pytest

from bayesfloor.io._formats import boolean_format, date_format, number_format, time_format

NAN = float("nan")


@pytest.mark.parametrize(
    ("texts", "values", "told"),
    [
        (["1.368,27 €", "464,94 €"], [1368.27, 464.94], "amounts in €, decimal comma, thousands point"),
        (["$3,818.16", "$38.56", " "], [3818.16, 38.56, NAN], "amounts in $, thousands comma"),
        (["CHF 1'200.50", "CHF\u00a07.00"], [1200.5, 7], "amounts in CHF, thousands apostrophe"),
        (["R$ 5,00"], [5], "amounts in R$, decimal comma"),
        (["45%", "3 %"], [45, 3], "percent"),
        (["1\u202f234,5", "12"], [1234.5, 12], "decimal comma, thousands space"),
        (["12,34,567", "1,234"], [1234567, 1234], "thousands comma"),
        (["1,5", "1,234"], [1.5, 1.234], "decimal comma"),
        (["(5.00)", "-3", "\u22124", "+2", "7-"], [-5, -3, -4, 2, -7], "as numbers"),
        (["1e-5", ".5", "5."], [1e-5, 0.5, 5], "as numbers"),
        (["1", "?", "N/A", "none", "—"], [1, NAN, NAN, NAN, NAN], "as numbers"),
        (["1,234", "5,678"], [1234, 5678], "thousands comma), a guess because the values allow other readings"),
        (["1.234", "5.678"], [1.234, 5.678], "decimal point), a guess because the values allow other readings"),
        (["1.234 €"], [1234], "thousands point), a guess because the values allow other readings"),
        (["0,123"], [0.123], "decimal comma)"),
        (["inf", "1e999"], [np.inf, np.inf], "as numbers"),
    ],
)
def test_numbers(texts, values, told):
    form = number_format(texts)
    np.testing.assert_array_equal(form.read(texts), values)
    assert told in form.describe()


@pytest.mark.parametrize(
    "texts",
    [
        ["0123", "1234"],
        ["2-3", "4-5", "6+"],
        ["+49 30 123 456"],
        ["1.2.3"],
        ["192.168.1.1"],
        ["12:30"],
        ["1234567890123456"],
        ["$5", "5 €"],
        ["5%", "5"],
        ["1,234.5", "1.234,5"],
        ["--5"],
        ["(5"],
        ["$5 €"],
        ["a", "1"],
        ["?", ""],
        ["٣"],
        [],
    ],
)
def test_what_is_no_number(texts):
    """Telephones, leading zeros, ranges, versions, card numbers, and columns of several formats."""
    assert number_format(texts) is None


def test_numbers_and_dates_written_otherwise_are_refused_later():
    """In the format of the rows that were fitted."""
    form = number_format(["63,36"])
    assert form.read(["1.063,36"]) == [1063.36]
    with pytest.raises(ValueError, match=r"63\.36 is not a number in the same format as the other values"):
        form.read(["63.36"])

    form = date_format(["30.12.1999"])
    with pytest.raises(ValueError, match="1999-12-30 is not a date in the same format as the other values"):
        form.read(["1999-12-30"])
    with pytest.raises(ValueError, match=r"12\.30\.1999 is not a day in the calendar"):
        form.read(["12.30.1999"])


@pytest.mark.parametrize("pair", [("no", "yes"), ("FALSCH", "WAHR"), ("f", "T"), ("non", "oui"), (" nein", "Ja ")])
def test_yes_and_no(pair):
    form = boolean_format([*pair, ""])
    np.testing.assert_array_equal(form.read([*pair, "?"]), [0, 1, NAN])
    with pytest.raises(ValueError, match="maybe is neither"):
        form.read(["maybe"])


def test_other_words_are_not_yes_and_no():
    """Words of two languages, a lone word, and many words are not."""
    assert boolean_format(["ja", "no"]) is None
    assert boolean_format(["yes"]) is None
    assert boolean_format(list(map(str, range(100)))) is None


@pytest.mark.parametrize(
    ("texts", "moments", "told"),
    [
        (["2020-01-31", "2020-02-01T10:00"], ["2020-01-31", "2020-02-01T10:00"], "as dates"),
        (["2020/1/5"], ["2020-01-05"], "as dates"),
        (["07/30/2020 04:33 PM", "?"], ["2020-07-30T16:33", "NaT"], "month first"),
        (["03/04/2024 12:00 AM"], ["2024-03-04"], "month first, a guess because the values allow other readings"),
        (["30.12.99", "1.2.00"], ["1999-12-30", "2000-02-01"], "day first"),
        (["03.04.2024"], ["2024-04-03"], "day first, a guess because the values allow other readings"),
        (["03/04/2024"], ["2024-04-03"], "day first, a guess because the values allow other readings"),
        (["3 Apr 2024", "04-May-2023", "3. März 2021"], ["2024-04-03", "2023-05-04", "2021-03-03"], "as dates"),
        (["Apr 3, 2024", "Sunday June 2nd 2024"], ["2024-04-03", "2024-06-02"], "as dates"),
        (["2024-03"], ["2024-03-01"], "as dates"),
        (["2023-01-01T05:00:00.25+02:00"], ["2023-01-01T05:00:00.25"], "as dates"),
        (["2023-01-01 05:00Z", "2023-01-01 05:00+0230"], ["2023-01-01T05:00", "2023-01-01T02:30"], "as dates"),
    ],
)
def test_dates(texts, moments, told):
    """One format for all values; the order of day and month by evidence, or by rule and said."""
    form = date_format(texts)
    np.testing.assert_array_equal(form.read(texts), np.array(moments, dtype="datetime64[us]"))
    assert form.describe().endswith(told)


@pytest.mark.parametrize(
    "texts",
    [
        *(["2-3"], ["2020-02-30"], ["31/12/2020", "12/31/2020"], ["1/13/13/20"], ["2020-01-01", "x"], ["3 Foo 2020"]),
        *(
            ["01/02/2020 13:00 PM"],
            ["2020-01-01 25:00"],
            ["\u0662020-01-01"],
            ["2020-00-01"],
            ["2020-01-00"],
            ["?"],
            [],
        ),
    ],
)
def test_what_is_no_date(texts):
    """Ranges, days that no calendar has, both orders in one column."""
    assert date_format(texts) is None


def test_times_of_day():
    texts = ["04:30 PM", "12:00 am", "-"]
    np.testing.assert_array_equal(time_format(texts).read(texts), [16.5, 0, NAN])
    assert time_format(["25:00"]) is None
    assert time_format(["-"]) is None
    assert "times of day" in time_format(texts).describe()
