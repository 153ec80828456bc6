#!/usr/bin/env bash
# Checks the mail captured so far. The findings become annotations of the job and a report in the
# summary of the job.
# Reads INPUT_FAIL_ON, INPUT_ONLY, INPUT_CLIENTS, INPUT_SUBJECT, INPUT_SENDER, INPUT_RECIPIENT, INPUT_HTTP_AUTH.
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
add fail-on "${INPUT_FAIL_ON:-error}"
add only "${INPUT_ONLY:-}"
add clients "${INPUT_CLIENTS:-}"
add subject "${INPUT_SUBJECT:-}"
add sender "${INPUT_SENDER:-}"
add recipient "${INPUT_RECIPIENT:-}"

# Arguments are visible to other processes, and the address may contain a password.
check() { # FORMAT
  MAILKEEP_URL=$url "$mailkeep" check "${conditions[@]}" "--format=$1" 2>&1
}
status=0
# With --format=github mailkeep prints commands for the runner, in which the text of mails is escaped.
annotations=$(check github) || status=$?

case $status in
  0) verdict="✅ The mails pass their checks" ;;
  1) verdict="❌ The mails do not pass their checks" ;;
  2) verdict="⚠️ The check is not valid: nothing was checked" ;;
  *) verdict="⚠️ Mailkeep could not be asked: nothing was checked" ;;
esac
if ((status > 1)); then show "$annotations"; else echo "$annotations"; fi
# Four backticks, because a subject may contain three.
{
  echo "### $verdict"
  echo
  echo '````text'
  check text || true
  echo '````'
} >>"$GITHUB_STEP_SUMMARY"
if ((status != 0)); then fail "$verdict" "$status"; fi
