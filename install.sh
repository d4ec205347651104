#!/bin/sh
# Installs the cdpadm executable from a release, after verifying its checksum and checking that it starts.
set -eu

usage="Usage: install.sh RELEASE [FOLDER]
  RELEASE  the address of a release (https://...) or a folder that contains one
  FOLDER   where to install (default: ~/.local/bin)"

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

case ${1-} in
  -h | --help)
    echo "$usage"
    exit
    ;;
  -*) fail "unknown flag $1
$usage" ;;
esac
[ $# -eq 1 ] || [ $# -eq 2 ] || fail "pass the address of a release
$usage"
release=${1%/}
folder=${2:-${HOME:?pass a folder, because HOME is not set}/.local/bin}

case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) fail "there is no executable for $(uname -s). Install the npm package instead" ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no executable for $(uname -m). Install the npm package instead" ;;
esac
name=cdpadm-$system-$arch

# `kind` is `folder`, `https`, or `http` for an address of this machine.
redirects=0
if [ -d "$release" ]; then
  kind=folder
else
  host=${release#*://}
  host=${host%%[/?#]*}
  case $release in
    *[[:space:]]*) kind= ;;
    https://?*) kind=https ;;
    http://*) kind=$(echo "$host" | sed -nE 's/^(127\.0\.0\.1|localhost)(:[0-9]+)?$/http/p') ;;
    *) kind= ;;
  esac
  # A user name can hide the real host.
  case $host in *@*) kind= ;; esac
  [ "$kind" != https ] || redirects=5
  [ -n "$kind" ] || fail "the release must be a folder or an https address without a user name: $release"
fi

work=$(mktemp -d)
new=$work/new
trap 'rm -rf "$work" "$new"' EXIT
trap 'exit 1' HUP INT TERM

# download ADDRESS FILE: downloads a file. From an https address, follows redirects only to https.
download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --globoff --proto "=$kind" --location --proto-redir '=https' \
      --max-redirs "$redirects" --output "$2" "$1"
  elif command -v wget >/dev/null; then
    # wget itself would also follow a redirect to http.
    address=$1
    left=$redirects
    until reply=$(wget --quiet --server-response --max-redirect 0 --output-document "$2" "$address" 2>&1); do
      address=$(echo "$reply" | tr -d '\r' | sed -nE 's/^ *[Ll]ocation: *//p')
      left=$((left - 1))
      case $left:$address in [0-9]*:https://*) continue ;; esac
      echo "$reply" >&2
      return 1
    done
  else
    fail "curl or wget is needed"
  fi
}

# get NAME: copies or downloads one file of the release.
get() {
  if [ "$kind" = folder ]; then
    [ -f "$release/$1" ] || fail "$release has no $1. Pass the folder of a release, such as dist/release"
    cp "$release/$1" "$work/$1"
  else
    download "$release/$1" "$work/$1" || fail "$release/$1 could not be downloaded"
  fi
}

get SHA256SUMS
expected=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$expected" ] || fail "this release has no $name"
get "$name"
if command -v sha256sum >/dev/null; then
  actual=$(sha256sum "$work/$name")
else
  actual=$(shasum -a 256 "$work/$name")
fi
[ "${actual%% *}" = "$expected" ] || fail "the checksum of $name is wrong. Nothing was installed"

mkdir -p "$folder"
new=$folder/.cdpadm.$$
cp "$work/$name" "$new"
chmod 755 "$new"
version=$("$new" --version) || fail "$name does not start on this system. Nothing was installed.
On Linux, it needs glibc 2.28 or newer, libstdc++ and libgcc. See the message above."
# Renames the file, because the old executable might be running.
mv -f "$new" "$folder/cdpadm"
echo "Installed $version as $folder/cdpadm"
case :$PATH: in
  *:"$folder":*) ;;
  *) echo "Add $folder to PATH to run it as cdpadm." ;;
esac
