"""What a benchmark found, beside its aims."""

from dataclasses import dataclass, field


@dataclass
class Judge:
    """Prints figures beside their aims, and remembers whether one was missed."""

    missed: list[str] = field(default_factory=list)
    quiet: bool = False
    """Whether only what is missed is printed."""

    def say(
        self, what: str, value: float, unit: str, aim: float | None = None, *, least: bool = False
    ) -> None:
        verdict = ""
        if aim is not None:
            reached = value >= aim if least else value <= aim
            verdict = (
                f"   aim {'≥' if least else '≤'} {aim:g} {unit}: {'reached' if reached else 'NOT reached'}"
            )
            if not reached:
                self.missed.append(what)
        if self.quiet and (aim is None or reached):
            return
        print(f"{what:<52} {value:>10,.2f} {unit:<7}{verdict}", flush=True)
