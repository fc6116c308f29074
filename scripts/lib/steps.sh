# Steps with progress, timing and stamps. Sourced by `start` and `check`.

if ((BASH_VERSINFO[0] < 5)); then
  echo "error: bash 5 or newer is needed, this is $BASH_VERSION; on macOS: brew install bash" >&2
  exit 1
fi

CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/palimpsest"
TARGET="${PALIMPSEST_TARGET_DIR:-$CACHE/target}"
# Stamps of what lies inside the work tree (node_modules, ui/dist) belong to the work tree.
STAMPS="$ROOT/.cache/stamps"
mkdir -p "$TARGET" "$STAMPS"
export CARGO_TARGET_DIR="$TARGET"

if [[ -t 1 ]]; then BOLD=$'\e[1m' DIM=$'\e[2m' RED=$'\e[31m' PLAIN=$'\e[0m'; else BOLD= DIM= RED= PLAIN=; fi

STEP=0
STEPS=0

# Ends the program with what happened and what to do about it.
fail() {
  printf '%serror:%s %s\n' "$RED" "$PLAIN" "$1" >&2
  shift
  for line in "$@"; do printf '       %s\n' "$line" >&2; done
  exit 1
}

# 75 -> "1 min 15 s"
duration() {
  if (($1 < 60)); then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}

# macOS has the same under another name.
command -v sha256sum >/dev/null || sha256sum() { shasum -a 256 "$@"; }

# One hash over the content of files and folders, and over the other words given as `=word`.
hash_of() {
  local paths=() words=() path
  for path in "$@"; do
    if [[ $path == =* ]]; then words+=("$path"); elif [[ -e $path ]]; then paths+=("$path"); fi
  done
  {
    printf '%s\n' "${words[@]}"
    find "${paths[@]}" -type f -print0 | LC_ALL=C sort -z |
      while IFS= read -r -d '' path; do
        printf '%s\n' "$path"
        cat -- "$path"
      done
  } | sha256sum | cut -d' ' -f1
}

# Says that a step begins.
begin() {
  STEP=$((STEP + 1))
  printf '%s[%d/%d]%s %s\n' "$BOLD" "$STEP" "$STEPS" "$PLAIN" "$1"
}

# step TITLE COMMAND... : runs it and tells how long it took; a failure ends the program.
step() {
  local title=$1 from=$SECONDS
  shift
  begin "$title"
  "$@" || fail "the step \"$title\" failed; its messages are above."
  printf '      %sdone in %s%s\n' "$DIM" "$(duration $((SECONDS - from)))" "$PLAIN"
}

# stamped NAME RESULT HASH COMMAND... : runs the command unless RESULT is there and was made from
# the same inputs.
stamped() {
  local stamp="$STAMPS/$1" result=$2 hash=$3
  shift 3
  if [[ -e $result && -f $stamp && $(<"$stamp") == "$hash" ]]; then
    printf '      %sunchanged%s\n' "$DIM" "$PLAIN"
    return 0
  fi
  rm -f "$stamp"
  "$@" || return 1
  printf '%s' "$hash" >"$stamp"
}
