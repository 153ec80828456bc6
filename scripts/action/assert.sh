#!/usr/bin/env bash
# Asserts that the expected mail was captured, or arrives in time, and writes the result to the job's summary.
# Reads INPUT_COUNT or INPUT_MIN and INPUT_MAX, INPUT_SUBJECT, INPUT_SENDER, INPUT_RECIPIENT, INPUT_TIMEOUT,
# INPUT_HTTP_AUTH.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"
# shellcheck source=scripts/action/credentials.sh
source "$(dirname "${BASH_SOURCE[0]}")/credentials.sh"

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
url=$(with_credentials "${MAILKEEP_URL:-http://127.0.0.1:8025}")

conditions=()
# The equals sign keeps a value such as --help from being taken for a flag.
add() { if [[ -n $2 ]]; then conditions+=("--$1=$2"); fi; }
add count "${INPUT_COUNT:-}"
add min "${INPUT_MIN:-}"
add max "${INPUT_MAX:-}"
add subject "${INPUT_SUBJECT:-}"
add sender "${INPUT_SENDER:-}"
add recipient "${INPUT_RECIPIENT:-}"
add timeout "${INPUT_TIMEOUT:-5s}"

status=0
# Arguments are visible to other processes, and the address may contain a password.
seen=$(MAILKEEP_URL=$url "$mailkeep" assert "${conditions[@]}" 2>&1) || status=$?
show "$seen"

case $status in
  0) verdict="✅ Mail arrived as expected" ;;
  1) verdict="❌ Mail did not arrive as expected" ;;
  2) verdict="⚠️ The assertion is not valid: nothing was checked" ;;
  *) verdict="⚠️ Mailkeep could not be asked: nothing was checked" ;;
esac
# Four backticks, because a subject may contain three. Conditions are put on one line, so that no
# value can end the block.
{
  echo "### $verdict"
  echo
  echo '````text'
  tr '\r\n' '  ' <<<"mailkeep assert ${conditions[*]}"
  echo
  echo "$seen"
  echo '````'
} >>"$GITHUB_STEP_SUMMARY"
if ((status != 0)); then fail "${seen%%"$line_end"*}" "$status"; fi
