"""Values that are computed on first use, and cached with the frozen struct that they are made of."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
S = TypeVar("S")


class lazy(Generic[T]):  # noqa: N801  used like `property`
    """A property of a frozen struct, computed once: `cached_property` without its lock. It needs `dict=True`."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__
        self.name = compute.__name__

    @overload
    def __get__(self, instance: None, owner: type) -> "lazy[T]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object, owner: type) -> "T | lazy[T]":
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


def cached(make: Callable[[S], T]) -> Callable[[S], T]:
    """The result of a pure function of a struct, computed once and cached with the struct. It needs `dict=True`."""
    name = f"{make.__module__}.{make.__qualname__}"

    @wraps(make)
    def compute_once(struct: S) -> T:
        value: T | None = struct.__dict__.get(name)
        if value is None:
            value = struct.__dict__[name] = make(struct)
        return value

    return compute_once
