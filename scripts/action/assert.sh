#!/usr/bin/env bash
# Asserts on the mail captured so far (or within a time), and writes what it saw to the job's summary.
# Reads INPUT_COUNT or INPUT_MIN and INPUT_MAX, INPUT_SUBJECT, INPUT_SENDER, INPUT_RECIPIENT, INPUT_TIMEOUT.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"

min=${INPUT_COUNT:-${INPUT_MIN:-}}
max=${INPUT_COUNT:-${INPUT_MAX:-}}
if [[ -z $min$max ]]; then min=1; fi

conditions=()
add() { if [[ -n $2 ]]; then conditions+=("--$1" "$2"); fi; }
add min "$min"
add max "$max"
add subject "${INPUT_SUBJECT:-}"
add sender "${INPUT_SENDER:-}"
add recipient "${INPUT_RECIPIENT:-}"
add timeout "${INPUT_TIMEOUT:-5s}"

status=0
seen=$("$mailkeep" assert --url "${MAILKEEP_URL:-http://127.0.0.1:8025}" "${conditions[@]}" 2>&1) || status=$?
# What a mail says must not become a command of the runner.
token=mailkeep-$RANDOM$RANDOM
echo "::stop-commands::$token"
echo "$seen"
echo "::$token::"

verdict="✅ Mail arrived as expected"
if ((status != 0)); then verdict="❌ Mail did not arrive as expected"; fi
# Four backticks: a subject may have three.
{
  echo "### $verdict"
  echo
  echo '````text'
  echo "mailkeep assert ${conditions[*]}"
  echo "$seen"
  echo '````'
} >>"$GITHUB_STEP_SUMMARY"
if ((status != 0)); then fail "${seen%%$'\n'*}"; fi
