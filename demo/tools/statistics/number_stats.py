"""Functions become tools: the signature gives the flags, the docstring the words."""

import statistics

from toolscout import tool


@tool(name="summarize-numbers", keywords=["statistics", "mean", "median", "deviation"])
def summarize_numbers(numbers: list[float], digits: int = 2) -> dict:
    """Say how many numbers there are, with their mean, median, spread and range

    Args:
        numbers: The numbers
        digits: Digits after the decimal point
    """
    if not numbers:
        raise ValueError("there is nothing to summarize: no numbers")
    return {
        "count": len(numbers),
        "mean": round(statistics.fmean(numbers), digits),
        "median": round(statistics.median(numbers), digits),
        "spread": round(statistics.pstdev(numbers), digits),
        "min": min(numbers),
        "max": max(numbers),
    }


@tool(keywords=["statistics", "quantile", "median"])
def percentile(numbers: list[float], percent: float = 50.0) -> float:
    """Find the value below which this percentage of the numbers lies

    Args:
        numbers: The numbers
        percent: From 0 to 100
    """
    if not numbers or not 0 <= percent <= 100:
        raise ValueError("give at least one number, and a percentage from 0 to 100")
    ordered = sorted(numbers)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
