#!/bin/sh
# Installs the cdpadm executable of a release, after its checksum was verified.
# Usage: install.sh RELEASE [FOLDER]
#   RELEASE  the address of a release (https://...) or a folder with one
#   FOLDER   where to install (default: ~/.local/bin)
set -eu

fail() {
  echo "install.sh: $*" >&2
  exit 1
}

[ $# -ge 1 ] || fail "pass the address of a release: install.sh RELEASE [FOLDER]"
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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# get NAME: copies or downloads one file of the release.
get() {
  if [ -d "$release" ]; then
    cp "$release/$1" "$work/$1"
    return
  fi
  case $release in
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    *) fail "the release must be a folder or an https address: $release" ;;
  esac
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --max-redirs 5 --output "$work/$1" "$release/$1"
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$work/$1" "$release/$1"
  else
    fail "curl or wget is needed"
  fi || fail "$release/$1 could not be downloaded"
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
# A rename, because the executable may be running.
chmod 755 "$work/$name"
cp -p "$work/$name" "$folder/.cdpadm.$$"
mv -f "$folder/.cdpadm.$$" "$folder/cdpadm"
echo "Installed $("$folder/cdpadm" --version) as $folder/cdpadm"
case :$PATH: in
  *:"$folder":*) ;;
  *) echo "Add $folder to PATH to run it as cdpadm." ;;
esac
