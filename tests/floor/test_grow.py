"""Plain or compiled: the same answer."""

from bayesfloor.floor import _sample as _grow


def test_kernels_are_prepared_only_where_they_pay(monkeypatch):
    """A small fit should not wait for a compiler."""
    calls = []
    monkeypatch.setattr(_grow, "prepare_kernels", lambda: calls.append(1))
    _grow.prepare(200, 4, 3, 8)
    small = len(calls)
    _grow.prepare(20_000, 16, 3, 8)

    assert small == 0
    assert len(calls) == 1
