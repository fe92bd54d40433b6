# shellcheck shell=bash
# Which engine there is for containers, and what it is given here; for scripts in the root of the repository.
readonly skipped_status=77 cannot_go_on=69 pull_limit_seconds=900
readonly recipe=../shared/container/recipe.sh image=lastword-check

engine_works() {
  command -v "$1" >/dev/null && "$1" info >/dev/null 2>&1 || return 1
  local base bases
  mapfile -t bases < <(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile)
  for base in "${bases[@]}"; do
    "$1" image inspect "$base" >/dev/null 2>&1 && continue
    timeout "$pull_limit_seconds" "$1" pull -q "$base" >/dev/null 2>&1 || return 1
  done
}

# The recipe makes stand-ins for the base images, where there is no registry.
choose_engine() {
  for engine in docker podman; do
    if engine_works "$engine"; then return; fi
  done
  engine=recipe
  if [ -e "$recipe" ] && [ "$(id -u)" -eq 0 ]; then return; fi
  echo "detail: neither docker nor podman works here with a registry that has the base images"
  exit "$skipped_status"
}

# The recipe keeps its own store, so its commands say where; limits that cannot be raised are given as they are.
set_up_engine() {
  choose_engine
  CONTAINER_ENGINE=$engine CONTAINER_RUN=
  if [ "$engine" = recipe ]; then
    bash "$recipe" bases
    # shellcheck disable=SC2016 # the recipe expands its own variable
    CONTAINER_ENGINE=$(bash "$recipe" eval 'echo "$P"')
    CONTAINER_RUN="--network=host --ulimit=nofile=$(ulimit -Hn):$(ulimit -Hn) --ulimit=nproc=4096:4096"
  fi
  read -ra command <<<"$CONTAINER_ENGINE"
  # shellcheck disable=SC2034 # for those who read this file
  read -ra run_options <<<"$CONTAINER_RUN"
  # The other format has no health checks.
  export CONTAINER_ENGINE CONTAINER_RUN BUILDAH_FORMAT=docker BUILDAH_ISOLATION=chroot
  command -v python3 >/dev/null || { echo "error: Python 3 is needed for the checks" && exit "$cannot_go_on"; }
}

# The recipe's engine takes a label that it has built before for the same, whatever the revision is now: none is said.
build_image() {
  local directory=${1:-.}
  if [ "$engine" = recipe ]; then
    bash "$recipe" build "$directory" "$image"
  else
    "${command[@]}" build --build-arg REVISION="$(scripts/build-information --print)" --tag "$image" "$directory"
  fi
}

# The same of a program that is there, built with the same flags: the first stage gets it, and compiles nothing.
build_image_around() {
  local directory
  directory=$(mktemp -d)
  install -D "$1" "$directory/lastword"
  install -D scripts/build-information "$directory/scripts/build-information"
  awk '/^FROM .* AS build$/ { print; print "WORKDIR /lastword\nCOPY lastword .build/release/"; compiles = 1; next }
    /^COPY scripts\/build-information / { compiles = 0 }
    !compiles' Dockerfile >"$directory/Dockerfile"
  build_image "$directory"
  rm -r "$directory"
}

# The recipe has the host's network; one of its own keeps ports free and out of anybody's reach.
apart() {
  if [ "$engine" = recipe ]; then
    # shellcheck disable=SC2016 # the inner shell expands its own
    unshare --net -- sh -c 'ip link set lo up && exec "$@"' sh "$@"
  else
    "$@"
  fi
}
