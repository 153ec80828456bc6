# Sourced by the action's scripts: the executable to use, downloaded once a job, and paths as each side wants them.
# shellcheck shell=bash

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# On Windows the runner says C:\…, bash wants /c/…, and later steps want C:\… again.
unix_path() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else echo "$1"; fi; }
native_path() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi; }

fail() {
  echo "::error title=Mailkeep::$*"
  exit 1
}

job_folder=$(unix_path "${RUNNER_TEMP:?is set by the runner}")/mailkeep

# The version that belongs to this copy of the action, unless the workflow names another.
wanted_version() {
  local own
  own=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$repository/package.json")
  own=${INPUT_VERSION:-$own}
  echo "${own#v}"
}

find_mailkeep() {
  local folder=$job_folder/bin name=mailkeep
  [[ ${RUNNER_OS:-} == Windows ]] && name=mailkeep.exe
  if [[ -n ${INPUT_BINARY:-} ]]; then
    unix_path "$INPUT_BINARY"
    return
  fi
  # Downloaded once a job, unless a step asks for another version.
  if [[ ! -x $folder/$name || "$("$folder/$name" --version)" != "mailkeep $(wanted_version) "* ]]; then
    sh "$repository/install.sh" --to "$folder" --version "$(wanted_version)" >&2 || return
    native_path "$folder" >>"$GITHUB_PATH"
  fi
  echo "$folder/$name"
}
