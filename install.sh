#!/bin/sh
# Installs Mailkeep for the person who runs it; never asks for root.
# All code is in functions and main is called last, so a script that was cut off runs nothing.
set -eu

REPOSITORY=https://github.com/mailkeep/mailkeep
line_end='
'

fail() {
  echo "mailkeep: $*" >&2
  exit 1
}

usage() {
  cat <<'EOF'
Installs Mailkeep for the person who runs it; never asks for root.

  curl -fsSL https://raw.githubusercontent.com/mailkeep/mailkeep/main/install.sh | sh
  … | sh -s -- --to /opt/bin --version 0.2.0

  --to FOLDER        where to put it       (MAILKEEP_INSTALL_DIR, default ~/.local/bin)
  --version VERSION  which release         (MAILKEEP_VERSION, default latest)
  --target TARGET    which platform's file (default this machine's, for example linux-x64-musl)
  MAILKEEP_BASE_URL  a folder with SHA256SUMS and the downloads, instead of GitHub's
EOF
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# ---- which file

linux_libc() {
  # musl's ldd prints its name on standard error and fails; glibc's prints GNU or GLIBC.
  case "$(ldd --version 2>&1 || true)" in
    *musl*) echo -musl; return ;;
    *GLIBC* | *GNU*) return ;;
  esac
  for loader in /lib/ld-musl-*.so.1; do
    if [ -e "$loader" ]; then echo -musl; fi
  done
}

linux_cpu() {
  # Only the baseline file is sure to run on processors without AVX2.
  if [ "$1" = x64 ] && ! grep -q -w avx2 /proc/cpuinfo 2>/dev/null; then echo -baseline; fi
}

detect_target() {
  os=$(uname -s)
  machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no file for the processor '$machine' (only x64 and arm64)" ;;
  esac
  case "$os" in
    Linux) echo "linux-$arch$(linux_libc)$(linux_cpu "$arch")" ;;
    Darwin)
      # A shell under Rosetta says x86_64 on an Apple processor.
      if [ "$(sysctl -n hw.optional.arm64 2>/dev/null || echo 0)" = 1 ]; then arch=arm64; fi
      echo "macos-$arch"
      ;;
    MINGW* | MSYS* | CYGWIN* | Windows_NT) echo windows-x64 ;;
    *) fail "there is no file for the system '$os' (only Linux, macOS and Windows)" ;;
  esac
}

# ---- getting and checking it

pick_tools() {
  downloader=
  for tool in curl wget; do
    if [ -z "$downloader" ] && has "$tool"; then downloader=$tool; fi
  done
  [ -n "$downloader" ] || fail "needs curl or wget to download"
  summer=
  for tool in sha256sum shasum openssl; do
    if [ -z "$summer" ] && has "$tool"; then summer=$tool; fi
  done
  [ -n "$summer" ] || fail "needs sha256sum, shasum or openssl to check the download"
}

# Tries up to three times; a server silent for a minute has failed. A redirect from https to http
# could reach an attacker: curl refuses it by a flag, wget gets an http proxy that does not exist.
download() { # URL FILE
  protocols=all
  http_by=${http_proxy:-}
  case "$1" in https:*) protocols='=https' http_by=http://127.0.0.1:1 ;; esac
  case "$downloader" in
    curl) reason=$(curl -fsSL --proto "$protocols" --retry 2 --speed-limit 1 --speed-time 60 -o "$2" "$1" 2>&1) ;;
    wget) reason=$(http_proxy=$http_by wget -q -t 3 -T 60 -O "$2" "$1" 2>&1) ;;
  esac || fail "cannot download $1${reason:+: ${reason##*"$line_end"}}" # only the line of the last try
}

sum_of() { # FILE
  case "$summer" in
    sha256sum) sha256sum "$1" ;;
    shasum) shasum -a 256 "$1" ;;
    openssl) openssl dgst -sha256 -r "$1" ;;
  esac | cut -d ' ' -f 1
}

unpack() { # ARCHIVE FOLDER
  case "$1" in
    *.zip)
      if has unzip; then
        unzip -q "$1" -d "$2"
      else
        tar -xf "$1" -C "$2" # Windows' own tar reads zip
      fi
      ;;
    *) tar -xzf "$1" -C "$2" ;;
  esac || fail "cannot unpack $(basename "$1")"
}

# ---- putting it in place

home() {
  [ -n "${HOME:-}" ] || fail "HOME is not set; name a folder with --to"
  echo "$HOME"
}

place() { # EXECUTABLE FOLDER NAME
  if [ ! -d "$2" ]; then
    mkdir -p "$2" 2>/dev/null || fail "cannot make the folder $2; name another one with --to"
    made_folder=$2
  fi
  staged=$2/.new-$$-$3
  { cp "$1" "$staged" && chmod 755 "$staged"; } 2>/dev/null ||
    fail "cannot write to $2; name another folder with --to"
  # A file chosen with --target is not tried, because it may be for another platform.
  says=$archive
  if [ "$target" = "$own_target" ] && ! says=$("$staged" --version 2>&1); then
    case "$target" in *-musl*) says="$says (on Alpine: apk add libstdc++)" ;; esac
    fail "the file for $target does not run here: $(echo "$says" | tr '\n' ' ')"
  fi
  # A rename replaces the old file in one step, even while it runs.
  if [ -d "$2/$3" ] || ! mv -f "$staged" "$2/$3" 2>/dev/null; then fail "cannot replace $2/$3"; fi
}

# Removes temporary and unfinished files, also after Ctrl+C.
clean_up() {
  rm -rf "$work"
  if [ -n "$staged" ]; then rm -f "$staged"; fi
  if [ -n "$made_folder" ]; then rmdir "$made_folder" 2>/dev/null || true; fi
}

path_hint() { # FOLDER
  case ":$PATH:" in
    *":$1:"*) ;;
    *) echo "Not in your PATH yet: export PATH=\"$1:\$PATH\"" ;;
  esac
}

main() {
  folder=${MAILKEEP_INSTALL_DIR:-}
  version=${MAILKEEP_VERSION:-}
  version=${version#v}
  target=
  while [ $# -gt 0 ]; do
    case "$1" in
      -h | --help) usage; exit ;;
      --*=*)
        option=${1%%=*} value=${1#*=}
        shift
        set -- "$option" "$value" "$@"
        ;;
      --to | --version | --target) [ $# -gt 1 ] || fail "$1 needs a value" ;;
    esac
    case "$1" in
      --to)
        [ -n "$2" ] || fail "--to needs a value"
        folder=$2
        ;;
      --version) version=${2#v} ;;
      --target) target=$2 ;;
      *) fail "unknown option '$1' (known: --to, --version, --target)" ;;
    esac
    shift 2
  done
  if [ "$version" = latest ]; then version=; fi
  if [ -z "$folder" ]; then folder=$(home)/.local/bin; fi
  case "$folder" in
    /* | ?:*) ;; # a Windows path begins with C: or the like
    '~' | '~'/*) folder=$(home)${folder#'~'} ;; # the shell does not expand --to=~/bin
    *) folder=$PWD/$folder ;;
  esac
  case "$version$target" in
    *[!A-Za-z0-9.-]*) fail "no such version or target: $version $target" ;;
  esac
  own_target=
  if [ -z "$target" ]; then
    own_target=$(detect_target)
    target=$own_target
  fi
  pick_tools

  if [ -n "${MAILKEEP_BASE_URL:-}" ]; then
    base=${MAILKEEP_BASE_URL%/}
  elif [ -n "$version" ]; then
    base=$REPOSITORY/releases/download/v$version
  else
    base=$REPOSITORY/releases/latest/download
  fi

  work=$(mktemp -d 2>/dev/null) || fail "cannot make a temporary folder"
  staged=
  made_folder=
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM

  download "$base/SHA256SUMS" "$work/SHA256SUMS"
  # One line names this platform's download: the sum, two spaces, mailkeep-VERSION-TARGET.EXTENSION
  line=$(grep -E "  mailkeep-${version:-[0-9][^ ]*}-$target\.(tar\.gz|zip)\$" "$work/SHA256SUMS" | head -n 1)
  [ -n "$line" ] || fail "the release has no file for $target${version:+ in version $version} ($base)"
  expected=${line%% *}
  archive=${line##* }

  echo "Downloading $archive"
  download "$base/$archive" "$work/$archive"
  actual=$(sum_of "$work/$archive")
  [ "$actual" = "$expected" ] ||
    fail "the sum of $archive is wrong (expected $expected, got ${actual:-none}); nothing was installed"

  mkdir "$work/unpacked"
  unpack "$work/$archive" "$work/unpacked"
  name=mailkeep
  case "$archive" in *.zip) name=mailkeep.exe ;; esac
  executable=$(find "$work/unpacked" -type f -name "$name" | head -n 1)
  [ -n "$executable" ] || fail "$archive has no $name in it"
  place "$executable" "$folder" "$name"
  echo "Installed $says to $folder/$name"
  path_hint "$folder"
}

main "$@"
