# Sourced by the action's scripts: finds the executable, or downloads it once per job.
# Reads INPUT_BINARY, INPUT_VERSION.
# shellcheck shell=bash
# shellcheck source=scripts/action/runner.sh
source "$(dirname "${BASH_SOURCE[0]}")/runner.sh"

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
job_folder=$(unix_path "${RUNNER_TEMP:?is set by the runner}")/mailkeep

# The version that belongs to this copy of the action, unless the workflow names another.
wanted_version() {
  local own
  own=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$repository/package.json")
  own=${INPUT_VERSION:-$own}
  echo "${own#v}"
}

# The given executable also becomes `mailkeep` in the PATH of later steps, unless an earlier step
# has put another one there.
given_mailkeep() { # LINK
  local path
  path=$(unix_path "$INPUT_BINARY")
  [[ $path == /* ]] || path=$PWD/$path
  if [[ ! -f $path || ! -x $path ]]; then
    echo "binary: $INPUT_BINARY is no executable file" >&2
    return 1
  fi
  if [[ ! -e $1 ]]; then
    mkdir -p "$(dirname "$1")"
    ln -sf "$path" "$1"
    native_path "$(dirname "$1")" >>"$GITHUB_PATH"
  fi
  echo "$path"
}

find_mailkeep() {
  local folder=$job_folder/bin name=mailkeep version
  [[ ${RUNNER_OS:-} == Windows ]] && name=mailkeep.exe
  if [[ -n ${INPUT_BINARY:-} ]]; then
    given_mailkeep "$folder/$name"
    return
  fi
  version=$(wanted_version)
  # Once per job, unless a step asks for another version.
  if [[ "$(cat "$job_folder/downloaded-version" 2>/dev/null)" != "$version" ]]; then
    sh "$repository/install.sh" --to "$folder" --version "$version" >&2 || return
    native_path "$folder" >>"$GITHUB_PATH"
    echo "$version" >"$job_folder/downloaded-version"
  fi
  echo "$folder/$name"
}
