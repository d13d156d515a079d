#!/bin/sh
# tool: days-between
# description: Count the days from one date to another
# keywords: date, calendar, difference, duration
# param from string required - First day, as YYYY-MM-DD
# param to string required - Last day, as YYYY-MM-DD
# param unit string default=days enum=days|weeks - In days, or in weeks and days
# input: args
set -eu

unit=days
while [ $# -gt 0 ]; do
    case "$1" in
        --*=*) name=${1%%=*} value=${1#*=} ;;
        --*) name=$1 value=${2-} && shift ;;
        *) name=$1 value= ;;
    esac
    shift
    case "$name" in
        --from) from=$value ;;
        --to) to=$value ;;
        --unit) unit=$value ;;
        *) echo "unknown argument: $name" >&2 && exit 1 ;;
    esac
done

# awk instead of date: `date -d` is GNU's and `date -j` is BSD's. The day number is that of the Gregorian calendar.
awk -v from="$from" -v to="$to" -v unit="$unit" '
function leap(y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0 }
function length_of(y, m) { return m == 2 ? 28 + leap(y) : 30 + (m + int(m / 8)) % 2 }
function day_number(text,    part, y, m, d) {
    if (text !~ /^[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]$/) fail(text)
    split(text, part, "-"); y = part[1] + 0; m = part[2] + 0; d = part[3] + 0
    if (m < 1 || m > 12 || d < 1 || d > length_of(y, m)) fail(text)
    if (m < 3) { y -= 1; m += 12 }
    return 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * (m - 3) + 2) / 5) + d
}
function fail(text) { print "not a date: " text ", expected YYYY-MM-DD" > "/dev/stderr"; failed = 1; exit 1 }
BEGIN {
    days = day_number(to) - day_number(from)
    if (unit == "days") { print days; exit }
    sign = days < 0 ? "-" : ""; days = days < 0 ? -days : days
    printf "%s%d weeks, %d days\n", sign, int(days / 7), days % 7
}'
