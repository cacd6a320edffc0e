"""What public callables take when nothing is said."""

import inspect
from importlib import import_module

import bayesfloor

PLACES = ("bayesfloor", *(f"bayesfloor.{name}" for name in bayesfloor._HOMES[""].split()))


def public_callables():
    """All public functions, classes and their public methods, by name."""
    for place in PLACES:
        module = import_module(place)
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            yield f"{place}.{name}", found
            if inspect.isclass(found):
                methods = inspect.getmembers(found, callable)
                yield from ((f"{place}.{name}.{own}", it) for own, it in methods if not own.startswith("_"))


def defaults_of(parameter):
    """The default of a parameter wherever there is one, by the callable's name."""
    found = {}
    for name, each in public_callables():
        try:
            parameters = inspect.signature(each).parameters
        except (TypeError, ValueError):  # of what is built in
            continue
        if parameter in parameters:
            found[name] = parameters[parameter].default
    return found


def test_the_same_call_gives_the_same_answer():
    """One seed everywhere: another default would let two surfaces disagree."""
    found = defaults_of("random_state")

    assert len(found) >= 8
    assert {name: default for name, default in found.items() if default != 0} == {}
    assert all(default is not False for default in found.values())
