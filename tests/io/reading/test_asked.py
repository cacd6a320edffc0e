"""What is asked for is held against the names there are."""

from bayesfloor.io import open_data


def test_patterns_choose_columns(text_file):
    """Hundreds of pixels cannot be named one by one."""
    path = text_file("p1,p2,p[1],q,label\n1,2,3,4,a\n2,3,4,5,b\n3,4,5,7,a\n")

    assert open_data(path, "label", features=("p*",)).feature_names == ("p1", "p2", "p[1]")
    assert open_data(path, "label", features=("p*",), drop=("p[1]",)).feature_names == ("p2",)
    assert open_data(path, "label", features=("*",)).feature_names == ("p1", "p2", "p[1]", "q")
    assert open_data(path, "label", drop=("q", "label")).feature_names == ("p1", "p2", "p[1]")


def test_patterns_that_match_nothing_are_refused(table, write_as, message):
    """A silent typo would change what is measured."""
    path = write_as("a.csv", table)

    assert message(path, drop=("colur",)) == (
        "no column matches --drop 'colur'. Did you mean 'colour'? Columns: 'u', 'v', 'colour', 'label'."
    )
    assert message(path, features=("pixel*",)).startswith("no column matches --features 'pixel*'. Columns: 'u', ")
    assert message(path, drop=("*",)).startswith("no columns are left as features")


def test_a_label_that_is_also_the_groups_is_refused(table, write_as, message):
    """All edges inside a class forbidden: any floor would be a lie."""
    path = write_as("a.csv", table)

    assert message(path, groups="label") == (
        "column 'label' is given as -y and as --groups. Pass two different columns."
    )
