"""Prints figures and checks them against their aims."""

from dataclasses import dataclass, field


@dataclass
class AimReport:
    """Prints figures with their aims, and stores the names of those that miss their aim."""

    missed: list[str] = field(default_factory=list)
    quiet: bool = False
    """Whether to print only figures that miss their aim."""

    def record(
        self, name: str, value: float, unit: str, aim: float | None = None, *, is_minimum: bool = False
    ) -> None:
        verdict = ""
        if aim is not None:
            is_reached = value >= aim if is_minimum else value <= aim
            symbol = "≥" if is_minimum else "≤"
            verdict = f"   aim {symbol} {aim:g} {unit}: {'reached' if is_reached else 'NOT reached'}"
            if not is_reached:
                self.missed.append(name)
        if self.quiet and (aim is None or is_reached):
            return
        print(f"{name:<52} {value:>10,.2f} {unit:<7}{verdict}", flush=True)
