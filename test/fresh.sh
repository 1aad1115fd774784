#!/usr/bin/env bash
# Runs ./dev demo and ./dev test in fresh Debian machines: ./dev check fresh [RELEASE...]. Each machine is a folder that
# debootstrap fills from the mirror of this machine's own apt; it is removed at the end, also after a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }

cannot() {
    say "Fresh machines cannot be made here: $*"
    exit 1
}

releases=("$@")
if ((${#releases[@]} == 0)); then releases=(bookworm trixie); fi
for release in "${releases[@]}"; do
    if [[ ! $release =~ ^[a-z]+$ ]]; then
        say "\"$release\" is not the name of a Debian release, such as bookworm (Debian 12) or trixie (Debian 13)."
        exit 2
    fi
done

((EUID == 0)) || cannot "only root can, because they are entered by chroot. Try sudo ./dev check fresh."
command -v apt-get >/dev/null || cannot "there is no apt-get that would name a mirror."
command -v debootstrap >/dev/null || apt-get install -y --no-install-recommends debootstrap >&2 ||
    cannot "debootstrap is not installed, and apt-get could not install it."

# The first source of this machine's own release, without its updates.
. /etc/os-release
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    sed -nE "s/^(${VERSION_CODENAME:-none}|stable|oldstable|testing|sid) main //p" | head -n 1)
[[ -n $mirror ]] || cannot "the sources of apt name no mirror of this machine's own release."

scratch=$(mktemp -d)
child=
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'if [[ -n $child ]]; then kill "$child" || true; wait "$child" || true; fi; exit 130' INT TERM

# wait_for COMMAND...: runs it so that a signal to this script ends both.
wait_for() {
    "$@" &
    child=$!
    local status=0
    wait "$child" || status=$?
    child=
    return "$status"
}

# A space of its own for mounts and processes: with its last process both are gone, whatever has happened.
apart() { exec unshare --mount --pid --fork --kill-child "$@"; }

# Proxies, certificates and passwords of this machine's apt. What its hooks do stays here.
proxies=()
for protocol in http https; do
    eval "$(apt-config shell proxy "Acquire::$protocol::Proxy")"
    if [[ -n ${proxy:-} && $proxy != DIRECT ]]; then export "${protocol}_proxy=$proxy"; fi
    proxy=
done
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
    if [[ -n ${!name:-} ]]; then proxies+=("$name=${!name}"); fi
done
mkdir -m 700 "$scratch/home"
cat /etc/apt/auth.conf /etc/apt/auth.conf.d/*.conf >"$scratch/home/.netrc" 2>/dev/null || true

give_apt_settings() {
    local machine=$1
    apt-config dump | grep -E '^Acquire::(https?|ftp|Retries|Check|Allow|ForceIP)' | grep -vE 'Auto-?Detect' \
        >"$machine/etc/apt/apt.conf.d/90host" || true
    cp -a /etc/apt/auth.conf /etc/apt/auth.conf.d "$machine/etc/apt/" 2>/dev/null || true
    cp -L /etc/resolv.conf "$machine/etc/resolv.conf" 2>/dev/null || true
    cp -rL /usr/local/share/ca-certificates "$machine/usr/local/share/" 2>/dev/null || true
    chroot "$machine" update-ca-certificates >/dev/null 2>&1 || true
}

enter() {
    local machine=$1
    apart bash -c 'mount -t proc proc "$1/proc" && exec chroot "$@"' enter "$machine" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${proxies[@]}" "${@:2}"
}

check_release() {
    local release=$1 machine=$scratch/$1
    say "Making a fresh machine with $release"
    wait_for apart env HOME="$scratch/home" debootstrap --variant=minbase --include=ca-certificates \
        "$release" "$machine" "$mirror" >"$scratch/log" 2>&1 || {
        tail -n 20 "$scratch/log" >&2
        cannot "debootstrap failed for $release, see above."
    }
    give_apt_settings "$machine"
    git -c safe.directory='*' clone --quiet --no-hardlinks . "$machine/lento" || return 1
    for command in demo test; do
        say "./dev $command in $release"
        wait_for enter "$machine" /lento/dev "$command" </dev/null || {
            say "./dev $command failed in a fresh $release."
            return 1
        }
    done
    rm -rf --one-file-system "$machine"
}

if [[ -n $(git -c safe.directory='*' status --porcelain 2>/dev/null) ]]; then
    say "warning: what is not committed is left out"
fi
failed=()
for release in "${releases[@]}"; do check_release "$release" || failed+=("$release"); done
if ((${#failed[@]} > 0)); then
    say "The two commands do not both pass in: ${failed[*]}"
    exit 1
fi
say "Both commands pass in: ${releases[*]}"
