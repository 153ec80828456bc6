#!/usr/bin/env bash
# The entry point of the action: runs the script of the chosen mode.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/action/runner.sh
source "$here/runner.sh"

mode=${INPUT_MODE:-start}
# If the workflow gives the address of a server, none is started.
if [[ $mode == start && -n ${INPUT_URL:-} ]]; then exec bash "$here/shared.sh"; fi
case "$mode" in
  start | assert | check | report) exec bash "$here/$mode.sh" ;;
esac
fail "unknown mode '$mode' (known: start, assert, check, report)"
