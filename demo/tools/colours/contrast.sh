#!/bin/sh
# Run by contrast.tool.json with the two colours.
LC_ALL=C awk -v text="$1" -v background="${2-#ffffff}" '
function hex(digits) {
    digits = tolower(digits)
    return 16 * (index("0123456789abcdef", substr(digits, 1, 1)) - 1) + index("0123456789abcdef", substr(digits, 2, 1)) - 1
}
function linear(channel) { channel /= 255; return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ^ 2.4 }
function luminance(colour) {
    return 0.2126 * linear(hex(substr(colour, 2, 2))) + 0.7152 * linear(hex(substr(colour, 4, 2))) \
        + 0.0722 * linear(hex(substr(colour, 6, 2)))
}
BEGIN {
    light = luminance(text); dark = luminance(background)
    if (light < dark) { rest = light; light = dark; dark = rest }
    ratio = (light + 0.05) / (dark + 0.05)
    grade = ratio >= 7 ? "AAA" : ratio >= 4.5 ? "AA" : ratio >= 3 ? "AA for large text only" : "too low"
    printf "%.2f:1 %s\n", ratio, grade
}'
