"""Columns that mark groups: found by what they do to the error, and not by their name alone."""

import numpy as np
import pytest

from bayesfloor.answer._dependence import find_group_column


@pytest.mark.parametrize("form", ["P-{:03d}", "{}", None])
def test_rows_of_a_patient_are_found(patients, as_table, form, global_random_seed):
    """As text, as digits and as whole numbers; the error of new patients is that of a coin with some skill."""
    table, y, patient = patients
    ids = [form.format(p) for p in patient] if form else patient
    found = find_group_column(as_table(table.assign(patient_id=ids), y), global_random_seed)

    assert found.name == "patient_id"
    assert found.pure == 1
    assert found.neighbours > 0.9
    assert found.errors.at_random < 0.02
    assert found.errors.together > 0.15
    assert len(np.unique(found.group)) == 60


def test_ids_without_a_telling_name_are_found_if_there_are_many(patients, as_table):
    """More values than a category usually has."""
    table, y, patient = patients
    found = find_group_column(as_table(table.assign(unit=[f"x{7 * p:04d}" for p in patient]), y), 0)

    assert found.name == "unit"


@pytest.mark.parametrize("form", ["{:.1f}", "{:.1f} €", "{:.0f}"])
def test_a_number_written_as_text_is_not_an_id(patients, as_table, form):
    """A patient's age is the same in all rows of a patient, and a feature."""
    table, y, patient = patients
    age = 30 + np.random.default_rng(0).permutation(60)[patient]
    texts = np.where(np.arange(len(y)) % 20, [form.format(a).replace(".", ",") for a in age], "-")
    found = find_group_column(as_table(table.assign(age=texts, who=[f"P-{p:03d}" for p in patient]), y), 0)

    assert found.name == "who"
    assert find_group_column(as_table(table.assign(age=texts), y), 0) is None


def test_the_order_of_rows_does_not_matter(patients, as_table):
    """Groups are found by their values."""
    table, y, patient = patients
    order = np.random.default_rng(0).permutation(len(y))
    found = find_group_column(as_table(table.assign(patient=patient).iloc[order], y[order]), 0)

    assert found.name == "patient"
    assert np.array_equal(found.group, patient[order])


HARMLESS = {
    "repeats, but tells nothing": lambda rng, n: [f"u{g}" for g in rng.integers(0, 100, n)],
    "one row each": lambda _, n: [f"u{g}" for g in range(n)],
    "five values": lambda rng, n: rng.integers(0, 5, n),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.1, None, "u1"),
    "not whole": lambda rng, n: rng.normal(size=n),
    "constant": lambda _, n: ["u1"] * n,
}


@pytest.mark.parametrize("how", HARMLESS)
def test_harmless_ids_are_left_alone(noisy, as_table, how, global_random_seed):
    """Whatever they are called."""
    table, y = noisy
    ids = HARMLESS[how](np.random.default_rng([global_random_seed, 1]), len(y))

    assert find_group_column(as_table(table.assign(user_id=ids), y), 0) is None


def test_a_role_of_the_user_is_respected_and_arrays_have_no_names(patients, as_table):
    """Who says that a column is a category means it."""
    table, y, patient = patients
    named = table.assign(patient_id=[f"P{p}" for p in patient])

    assert find_group_column(as_table(named, y, {"patient_id": "category"}), 0) is None

    assert find_group_column(as_table(table.assign(patient_id=patient).to_numpy(), y), 0) is None
