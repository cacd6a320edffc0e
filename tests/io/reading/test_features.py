"""Features of a table are handed over as they stand: preparing them is the work of another."""

import pyarrow as pa

from bayesfloor.io import open_data

N = 40  # rows of the table


def test_columns_of_any_kind_are_handed_over_as_they_stand(add, table, write_as):
    """Gaps, dates and lists have a meaning that only the whole table tells."""
    table = add(table, "gaps", pa.array([None, float("nan"), *range(2, N)], pa.float64()))
    table = add(table, "when", pa.array(range(N), pa.date32()))
    table = add(table, "lists", [[1.0, 2.0]] * N)
    table = add(table, "row", list(range(N)))

    X = open_data(write_as("a.parquet", table), "label").native

    assert X.column_names == ["u", "v", "colour", "gaps", "when", "lists", "row"]
    assert str(X.schema.field("when").type) == "date32[day]"
    assert X.column("gaps").null_count == 1


def test_fields_of_a_csv_that_are_not_plain_numbers_stay_text(text_file):
    """Decimal commas, signs of money and question marks are read where the whole column is seen."""
    path = text_file('u,price,comma,gap,label\n1,$7.50,"1,5",?,a\n2,$8.50,"2,5",3,b\n3,,"1,5",4,a\n')

    X = open_data(path, "label").native

    assert X.column("u").to_pylist() == [1, 2, 3]
    assert X.column("price").to_pylist() == ["$7.50", "$8.50", None]
    assert X.column("comma").to_pylist() == ["1,5", "2,5", "1,5"]
    assert X.column("gap").to_pylist() == ["?", "3", "4"]
