# What has to be on the machine: named when it is missing, installed where we may.

RUST_LEAST=1.95
NODE_LEAST=20

# What the window is built with, and what drives it and Chromium in the tests.
DESKTOP_PACKAGES=(build-essential pkg-config libwebkit2gtk-4.1-dev)
TEST_PACKAGES=(webkit2gtk-driver xvfb xauth dbus dbus-x11 at-spi2-core libgl1-mesa-dri
  fonts-dejavu fonts-noto-color-emoji)
# Another build of the browser will do as well; Ubuntu has no such package.
[[ -n ${CHROMIUM:-} ]] || command -v chromium-browser google-chrome >/dev/null ||
  TEST_PACKAGES+=(chromium)

# at_least 1.95 1.100.0 : is the second version not older than the first?
at_least() {
  [[ $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n1) == "$1" ]]
}

# Names every missing tool at once, with where to get it.
need_tools() {
  local missing=() version
  # rustup's own place, for shells that were open while it was installed.
  [[ -d $HOME/.cargo/bin ]] && PATH="$PATH:$HOME/.cargo/bin"
  if ! version=$(rustc --version 2>/dev/null | cut -d' ' -f2) || [[ -z $version ]]; then
    missing+=("Rust $RUST_LEAST or newer: https://rustup.rs")
  elif ! at_least "$RUST_LEAST" "$version"; then
    missing+=("Rust $RUST_LEAST or newer (this is $version): rustup update stable")
  elif ! cargo --version >/dev/null 2>&1; then
    missing+=("cargo, which comes with Rust: https://rustup.rs")
  fi
  if ! version=$(node --version 2>/dev/null) || ! at_least "$NODE_LEAST" "${version#v}"; then
    missing+=("Node.js $NODE_LEAST or newer${version:+ (this is $version)}: https://nodejs.org, or your system's packages")
  elif ! npm --version >/dev/null 2>&1; then
    missing+=("npm, which comes with Node.js: https://nodejs.org")
  fi
  git --version >/dev/null 2>&1 || missing+=("git: https://git-scm.com, or your system's packages")
  if ((${#missing[@]})); then fail "this machine lacks" "${missing[@]}"; fi
}

installed() {
  [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

# Installs Debian packages that are missing; without the right to, names the command.
need_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    need_libraries
    return
  fi
  for package in "$@"; do installed "$package" || missing+=("$package"); done
  ((${#missing[@]})) || return 0
  local as_root=()
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null ||
      fail "these system packages are missing, and installing them needs a password. Run" \
        "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" \
        "and then this command again."
    as_root=(sudo -n)
  fi
  echo "      installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null >/dev/null
}

# Other systems: looks for what matters and names it.
need_libraries() {
  case $(uname -s) in
    Darwin)
      xcode-select -p >/dev/null 2>&1 ||
        fail "Apple's command line tools are missing. Run" "xcode-select --install"
      ;;
    Linux)
      pkg-config --exists webkit2gtk-4.1 2>/dev/null ||
        fail "pkg-config does not find webkit2gtk-4.1, which the window is built with. Run one of" \
          "sudo dnf install gcc pkgconf-pkg-config webkit2gtk4.1-devel" \
          "sudo pacman -S --needed base-devel webkit2gtk-4.1" \
          "or start without a window: ./start --serve"
      ;;
  esac
}

# The canvas is compiled for the browser as well.
need_wasm_target() {
  local triple=wasm32-unknown-unknown
  [[ -d $(rustc --print sysroot)/lib/rustlib/$triple ]] && return 0
  command -v rustup >/dev/null ||
    fail "the Rust compiler has no library for $triple, and there is no rustup to fetch it." \
      "CONTRIBUTING.md, under \"Without rustup\", names the other ways."
  rustup target add "$triple"
}

# Is there a display on which a window could open?
has_display() {
  [[ $(uname -s) == Darwin || -n ${DISPLAY:-} || -n ${WAYLAND_DISPLAY:-} ]]
}
