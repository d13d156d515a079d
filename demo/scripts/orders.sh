#!/bin/sh
# An ordinary script with getopts. docs/guide/write-a-tool.md makes a tool of it.
usage() {
  cat <<'END'
List the orders of a customer.

Usage: orders.sh [-c] [-n COUNT] CUSTOMER

  -c        Print the number of orders only
  -n COUNT  Print at most this many orders
END
  exit "$1"
}

[ "$1" = --help ] && usage 0
count=no
limit=1000
while getopts "cn:" option; do
  case $option in
    c) count=yes ;;
    n) limit=$OPTARG ;;
    *) usage 2 >&2 ;;
  esac
done
shift $((OPTIND - 1))
[ "$#" -eq 1 ] || usage 2 >&2

found=$(grep -i -F -- ",$1," data/orders.csv | head -n "$limit")
if [ "$count" = yes ]; then
  printf '%s\n' "$found" | grep -c .
else
  printf '%s\n' "$found"
fi
