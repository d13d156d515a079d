#!/bin/sh
# Run by convert-units.tool.yaml.
LC_ALL=C awk -v value="$TOOL_VALUE" -v from="$TOOL_FROM" -v to="$TOOL_TO" -v digits="$TOOL_DIGITS" '
# Every unit is `value * factor + offset` of the base unit of its kind.
function unit(name, sort, by, plus) { kind[name] = sort; factor[name] = by; offset[name] = plus }
BEGIN {
    unit("m", "length", 1, 0);       unit("km", "length", 1000, 0);   unit("cm", "length", 0.01, 0)
    unit("mi", "length", 1609.344, 0); unit("ft", "length", 0.3048, 0); unit("in", "length", 0.0254, 0)
    unit("kg", "weight", 1, 0);      unit("g", "weight", 0.001, 0)
    unit("lb", "weight", 0.45359237, 0); unit("oz", "weight", 0.028349523125, 0)
    unit("K", "temperature", 1, 0);  unit("C", "temperature", 1, 273.15)
    unit("F", "temperature", 5 / 9, 459.67 * 5 / 9)
    if (kind[from] != kind[to]) {
        printf "%s is a %s and %s is a %s\n", from, kind[from], to, kind[to] > "/dev/stderr"
        exit 1
    }
    base = value * factor[from] + offset[from]
    printf "%.*f %s\n", digits, (base - offset[to]) / factor[to], to
}'
