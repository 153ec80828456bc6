#!/usr/bin/env bash
# Puts every captured mail into a folder, which action.yml uploads, and a table of them into the job's summary.
# Reads INPUT_HTTP_AUTH.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"
# shellcheck source=scripts/action/credentials.sh
source "$(dirname "${BASH_SOURCE[0]}")/credentials.sh"

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
url=$(with_credentials "${MAILKEEP_URL:-http://127.0.0.1:8025}")
folder=$job_folder/report
rm -rf "$folder"
mkdir -p "$folder"

# Arguments are visible to other processes, and the address may contain a password.
table=$(MAILKEEP_URL=$url "$mailkeep" report --output "$(native_path "$folder")") ||
  fail "the captured mail could not be read"
count=$(find "$folder" -name '*.eml' | wc -l | tr -d ' ')

{
  echo "### 📬 Mail captured: $count"
  echo
  echo "$table"
} >>"$GITHUB_STEP_SUMMARY"
cat >>"$GITHUB_OUTPUT" <<OUTPUT
folder=$(native_path "$folder")
count=$count
OUTPUT
echo "Mail captured: $count, in $folder"
