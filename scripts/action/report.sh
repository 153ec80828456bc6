#!/usr/bin/env bash
# Puts every captured mail into a folder, which action.yml uploads, and a table of them into the job's summary.
set -euo pipefail
# shellcheck source=scripts/action/find-mailkeep.sh
source "$(dirname "${BASH_SOURCE[0]}")/find-mailkeep.sh"

mailkeep=$(find_mailkeep) || fail "Mailkeep could not be installed"
folder=$job_folder/report
rm -rf "$folder"
mkdir -p "$folder"

table=$("$mailkeep" report --url "${MAILKEEP_URL:-http://127.0.0.1:8025}" --output "$(native_path "$folder")") ||
  fail "the captured mail could not be read"
count=$(find "$folder" -name '*.eml' | wc -l | tr -d ' ')

{
  echo "### 📬 Mail captured: $count"
  echo
  echo "$table"
} >>"$GITHUB_STEP_SUMMARY"
cat >>"$GITHUB_OUTPUT" <<EOF
folder=$(native_path "$folder")
count=$count
EOF
echo "$count mails in $folder"
