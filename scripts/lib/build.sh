# The parts of the program that are built, each from the ones before it.

# npm's packages, exactly as locked.
install_npm() {
  # CI=... keeps npm from asking or advertising; no package of ours needs an install script.
  (cd "$ROOT/ui" && npm ci --no-audit --no-fund --loglevel=error </dev/null)
}
npm_packages() {
  stamped npm "$ROOT/ui/node_modules" "$(hash_of "$ROOT/ui/package-lock.json" "=$(node --version)")" install_npm
}

# The branch tree as WebAssembly, with the JavaScript side of it.
#
# A cargo invocation of its own, in a folder of its own: the canvas shares no build with the rest,
# and neither waits for the other's lock.
build_graph() {
  local out="$ROOT/ui/public/graph" module
  module="$TARGET/graph/wasm32-unknown-unknown/wasm/palimpsest_graph.wasm"
  CARGO_TARGET_DIR="$TARGET/graph" cargo build --locked --package palimpsest-graph --lib \
    --profile wasm --target wasm32-unknown-unknown &&
    rm -rf "$out" &&
    cargo run --locked --quiet --package palimpsest-bindgen -- "$module" "$out" palimpsest_graph
}
graph() {
  cd "$ROOT" || return 1
  stamped graph ui/public/graph/palimpsest_graph_bg.wasm \
    "$(hash_of Cargo.lock crates/core crates/graph tools/bindgen "=$(rustc --version)" \
      "=$(sed -n '/^\[profile.wasm\]/,/^\[/p' Cargo.toml)")" \
    build_graph
}

# The page, its scripts and styles.
build_interface() {
  (cd "$ROOT/ui" && npm run --silent build </dev/null)
}
interface() {
  cd "$ROOT" || return 1
  stamped interface ui/dist/index.html \
    "$(hash_of ui/src ui/public ui/index.html ui/package-lock.json ui/vite.config.ts \
      ui/svelte.config.js ui/tsconfig.json)" \
    build_interface
}

# programs PROFILE PACKAGE... : cargo itself knows what is up to date.
programs() {
  local profile=$1 package packages=()
  shift
  for package in "$@"; do packages+=(--package "$package"); done
  (cd "$ROOT" && cargo build --locked --profile "$profile" "${packages[@]}")
}

# Where cargo puts the programs of a profile.
programs_dir() {
  if [[ $1 == dev ]]; then echo "$TARGET/debug"; else echo "$TARGET/$1"; fi
}

# What a whole run writes from an empty build folder on (debug builds of all crates with their tests,
# those of clippy, the canvas and the fuzz targets), in MiB: 23 GB, of which 6 are of dependencies.
BUILD_ROOM_MIB=22000

free_mib() { df -Pm "$1" | awk 'NR == 2 { print $4 }'; }

# Makes room in the build folder. cargo never deletes: each change of a crate leaves its old build
# behind, and after some weeks the disk is full in the middle of a link. With little room left, the
# builds of our own crates and their tests (`it`) go; those of the dependencies stay, as they take longest.
room_to_build() {
  local free
  free=$(free_mib "$TARGET")
  ((free < BUILD_ROOM_MIB)) || return 0
  find "$TARGET" -type d -name incremental -prune -exec rm -rf {} + &&
    find "$TARGET" -type f -path '*/deps/*' \( -name '*palimpsest*' -o -name 'it-*' \) -delete ||
    return 1
  printf '      %s MiB were free; %s MiB are after old builds in %s were deleted\n' \
    "$free" "$(free_mib "$TARGET")" "$TARGET"
  free=$(free_mib "$TARGET")
  ((free >= BUILD_ROOM_MIB)) ||
    printf '      A build from scratch takes about %s MiB. If it fails, free some room or set PALIMPSEST_TARGET_DIR.\n' \
      "$BUILD_ROOM_MIB"
}
