# Sourced by the action's scripts: paths and commands of the runner.
# shellcheck shell=bash

# On Windows the runner says C:\…, bash wants /c/…, and later steps want C:\… again.
unix_path() { if command -v cygpath >/dev/null; then cygpath -u "$1"; else echo "$1"; fi; }
native_path() { if command -v cygpath >/dev/null; then cygpath -w "$1"; else echo "$1"; fi; }

line_end=$'\n'

# The runner reads %25 as a percent sign, %0D and %0A as the end of a line.
escaped() { # TEXT
  local text=${1//%/%25}
  text=${text//$'\r'/%0D}
  echo "${text//$line_end/%0A}"
}

fail() { # MESSAGE [EXIT-CODE]
  echo "::error title=Mailkeep::$(escaped "$1")"
  exit "${2:-1}"
}

# Text of a mail or a log must not become a command of the runner.
show() { # TEXT
  local token=mailkeep-$RANDOM$RANDOM
  echo "::stop-commands::$token"
  echo "$1"
  echo "::$token::"
}
