#!/usr/bin/env bash
# Starts what deploy/compose.yaml describes as processes of this machine: PostgreSQL, a Temporal server, S3-compatible storage, workers and,
# if asked for, Prometheus. Everything is in one folder, and listens on 127.0.0.1 only. Needs Linux. docs/cluster.md describes it.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: deploy/local.sh COMMAND [PART] [options] [-- options of cupid worker]

Commands:
  up               start everything, and print the variables that commands need
  down             stop everything; the data stay in the folder
  status           list the parts, and whether they run
  environment      print those variables again
  start PART       start one part: postgres, storage, temporal, prometheus, or worker-N
  stop PART        stop it as a supervisor would
  kill PART        stop it with SIGKILL
  restart PART     stop it, then start it

Options after -- go to the workers that this command starts. Without them, `start` and `restart` use those of `up`.

Options:
  --folder FOLDER  where data and logs are (default: cupid-cluster)
  --workers N      up: how many workers to start (default: 2)
  --port N         up: the first of the ports, N to N+12 and N+21 on for workers; N is 1024 to 32760 (default: those of the last
                   time, or 7400)
  --prometheus     up: start Prometheus too

Examples:
  eval "$(deploy/local.sh up)" && cupid synth --output-dir out --store "$CUPID_STORE/one" --model simulated:default
  deploy/local.sh up --workers 3 -- --concurrency 64 --trust
  deploy/local.sh restart temporal
  deploy/local.sh start worker-4
TEXT
}

say() { echo "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

main() {
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  folder=cupid-cluster
  local command=${1:-help} part='' workers=2 port='' with_prometheus=no
  [ $# -eq 0 ] || shift
  case $command in
    start | stop | kill | restart)
      part=${1:-}
      [[ $part =~ ^(postgres|storage|temporal|prometheus|worker-[1-9][0-9]*)$ ]] || wrong_usage "$command needs a part"
      shift
      ;;
  esac
  while [ $# -gt 0 ]; do
    case $1 in
      --folder) folder=${2:-} && shift ;;
      --workers) workers=${2:-} && shift ;;
      --port) port=${2:-} && shift ;;
      --prometheus) with_prometheus=yes ;;
      --) shift && break ;;
      *) wrong_usage "$1 is not known" ;;
    esac
    shift || wrong_usage 'An option has no value'
  done
  [[ $workers =~ ^[0-9]+$ && -n $folder ]] || wrong_usage '--workers takes a number, --folder a name'
  # Temporal's schema stores its ports, up to N+7, as signed 16-bit integers.
  [[ -z $port || ($port =~ ^[1-9][0-9]{3,4}$ && $port -ge 1024 && $port -le 32760) ]] || wrong_usage '--port takes a number from 1024 to 32760'
  folder=$(realpath -m "$folder")
  case $command in
    up) up "$workers" "$port" "$with_prometheus" "$@" ;;
    down) read_settings && down ;;
    status) read_settings && list_parts ;;
    environment) read_settings && print_environment ;;
    stop | kill) read_settings && if is_running "$part"; then "$command"_part "$part"; else say "$part does not run."; fi ;;
    start | restart) read_settings && choose_worker_options "$part" "$@" && "$command"_part "$part" ;;
    help | --help) usage ;;
    *) wrong_usage "$command is not known" ;;
  esac
}

wrong_usage() {
  say "$1. Run: deploy/local.sh help"
  exit 2
}

# What the commands do

up() {
  local workers=$1 port=$2 with_prometheus=$3 part parts=() number
  shift 3
  [ "$with_prometheus" = no ] || command -v prometheus >/dev/null ||
    fail 'Prometheus is not installed. Install it (on Debian, as root: apt-get install prometheus), or leave --prometheus out.'
  [ -f "$root/dist/cli/main.js" ] || fail "cupid is not built. Run: npm ci && npm run build (in $root)"
  if [ -f "$folder/settings" ]; then
    read_settings
    [ -z "$(list_running)" ] || fail "The cluster in $folder runs already. Stop it first: deploy/local.sh down --folder $(printf %q "$folder")"
    rm -f "$folder"/run/*
  fi
  write_settings "$port" "$@"
  # Whatever ends this before all runs, Ctrl-C included.
  trap 'say "Stopping what was started."; down' EXIT
  trap 'exit 130' INT TERM
  start_part storage
  initialize_database
  start_part postgres
  create_schema
  start_part temporal
  for ((number = 1; number <= workers; number++)); do parts+=("worker-$number"); done
  [ "$with_prometheus" = no ] || parts+=(prometheus)
  # Side by side, since a worker takes seconds to start.
  for part in "${parts[@]}"; do launch_part "$part"; done
  for part in "${parts[@]}"; do wait_for "$part"; done
  trap - EXIT INT TERM
  say "Everything runs. Logs are in $folder/logs. Stop it with: deploy/local.sh down --folder $(printf %q "$folder")"
  print_environment
}

# Workers first, which store the answers in flight; the database last.
down() {
  local part
  # All at once, since each may wait for answers.
  for part in $(list_running); do [[ $part != worker-* ]] || ask_to_stop "$part"; done
  for part in $(list_running); do [[ $part != worker-* ]] || wait_until_stopped "$part"; done
  for part in prometheus temporal storage postgres; do stop_part "$part"; done
}

list_parts() {
  local part status=0
  for part in $(list_known); do
    if is_running "$part"; then
      echo "$part runs (process $(<"$folder/run/$part"), port $(port_of "$part"))"
    else
      echo "$part does not run"
      status=1
    fi
  done
  return "$status"
}

print_environment() {
  cat <<TEXT
export TEMPORAL_ADDRESS=127.0.0.1:$(port_of temporal)
export CUPID_STORE=s3://cupid/runs
export AWS_ENDPOINT_URL_S3=http://127.0.0.1:$(port_of storage)
export AWS_ACCESS_KEY_ID=$storage_key
export AWS_SECRET_ACCESS_KEY=$storage_secret
export AWS_REGION=us-east-1
TEXT
}

# Settings: written once by `up`, read by everything else

write_settings() {
  mkdir -p "$folder"/{run,logs}
  chmod 700 "$folder"
  # shellcheck source=/dev/null
  [ ! -f "$folder/settings" ] || . "$folder/settings"
  first_port=${1:-${first_port:-7400}}
  worker_options=("${@:2}")
  storage_program=$("$root/deploy/install-parts" storage)
  temporal_programs=$("$root/deploy/install-parts" temporal)
  # A database stays with the PostgreSQL that created it.
  if [ ! -e "$folder/postgres/PG_VERSION" ] || [ ! -x "${postgres_programs:-}/postgres" ]; then
    postgres_programs=$("$root/deploy/install-parts" postgres)
  fi
  database_password=${database_password:-$(create_secret)}
  storage_key=${storage_key:-$(create_secret)}
  storage_secret=${storage_secret:-$(create_secret)}
  (
    umask 077
    declare -p first_port worker_options storage_program temporal_programs postgres_programs database_password storage_key \
      storage_secret |
      sed 's/^declare --/declare -g --/; s/^declare -a/declare -ga/' >"$folder/settings"
  )
}

# Options after -- replace those of `up` for this start only.
choose_worker_options() {
  local part=$1
  shift
  [ $# -gt 0 ] || return 0
  [[ $part == worker-* ]] || wrong_usage 'Only a worker has options after --'
  worker_options=("$@")
}

create_secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

read_settings() {
  [ -f "$folder/settings" ] || fail "There is no cluster in $folder. Start one with: deploy/local.sh up --folder $folder"
  # shellcheck source=/dev/null
  . "$folder/settings"
}

port_of() {
  case $1 in
    temporal) echo "$first_port" ;; # and the next eight, see run_temporal
    postgres) echo $((first_port + 10)) ;;
    storage) echo $((first_port + 11)) ;;
    prometheus) echo $((first_port + 12)) ;;
    worker-*) echo $((first_port + 20 + ${1#worker-})) ;;
  esac
}

# Parts

# Starts a part and waits until it answers.
start_part() {
  launch_part "$1"
  wait_for "$1"
  if [[ $1 == worker-* ]] && is_running prometheus; then
    configure_prometheus
    signal_part prometheus HUP
  fi
}

# The process holds the lock on its file in run/, and so do its children: the part runs while somebody holds it.
launch_part() {
  local part=$1
  ! is_running "$part" || fail "$part runs already."
  ! is_listening "$(port_of "$part")" ||
    fail "$part cannot start: port $(port_of "$part") is in use. Choose other ports with: deploy/local.sh up --port N"
  exec 9>>"$folder/run/$part"
  flock --timeout 5 9
  ("run_${part%%-*}" "$part") </dev/null >>"$folder/logs/$part.log" 2>&1 &
  echo $! >"$folder/run/$part"
  exec 9>&-
}

stop_part() {
  ask_to_stop "$1"
  wait_until_stopped "$1"
}

# Once only: a second signal ends a worker at once. PostgreSQL would wait for its clients after SIGTERM.
ask_to_stop() { if [ "$1" = postgres ]; then signal_part "$1" INT; else signal_part "$1" TERM; fi; }

wait_until_stopped() {
  for ((tenths = 0; tenths < 1200; tenths++)); do
    is_running "$1" || return 0
    # A worker waits for a last scrape of its metrics.
    [[ $1 != worker-* ]] || is_running prometheus || request "$1" /metrics >/dev/null
    sleep 0.1
  done
  say "$1 did not stop within two minutes, and is killed."
  kill_part "$1"
}

kill_part() {
  signal_part "$1" KILL
  while is_running "$1"; do sleep 0.1; done
}

restart_part() {
  stop_part "$1"
  start_part "$1"
}

signal_part() { ! is_running "$1" || kill "-$2" "$(<"$folder/run/$1")" 2>/dev/null || true; }

is_running() { [ -e "$folder/run/$1" ] && ! flock --nonblock "$folder/run/$1" true; }

list_known() { (cd "$folder/run" && ls); }

list_running() { for part in $(list_known); do if is_running "$part"; then echo "$part"; fi; done; }

is_listening() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# What a worker's telemetry answers.
request() {
  (exec 3<>"/dev/tcp/127.0.0.1/$(port_of "$1")" && printf 'GET %s HTTP/1.0\r\n\r\n' "$2" >&3 && cat <&3) 2>/dev/null || true
}

wait_for() {
  local part=$1
  for ((tenths = 0; tenths < 600; tenths++)); do
    is_running "$part" || break
    if answers "$part"; then
      say "$part runs on port $(port_of "$part")."
      return
    fi
    sleep 0.1
  done
  tail -n 5 "$folder/logs/$part.log" >&2 || true
  fail "$part does not answer. Its log is $folder/logs/$part.log."
}

answers() {
  is_listening "$(port_of "$1")" || return 1
  case $1 in
    # What pg_ctl waits for.
    postgres) [[ $(sed -n 8p "$folder/postgres/postmaster.pid" 2>/dev/null) == ready* ]] ;;
    worker-*) [[ $(request "$1" /readyz) == HTTP/1.?\ 200* ]] ;;
    temporal) node "$root/deploy/temporal/create-namespace.mjs" "127.0.0.1:$(port_of temporal)" ;;
  esac
}

# A part's process: each of these ends with `exec`. No keys of models are passed on, except to workers.

run_postgres() {
  clear_environment
  exec setsid "${as_postgres[@]}" "$postgres_programs/postgres" -D "$folder/postgres" -c listen_addresses=127.0.0.1 \
    -c "port=$(port_of postgres)" -c unix_socket_directories=
}

run_storage() {
  clear_environment
  mkdir -p "$folder/storage/cupid"
  export ROOT_ACCESS_KEY_ID=$storage_key ROOT_SECRET_ACCESS_KEY=$storage_secret
  exec setsid "$storage_program" --port "127.0.0.1:$(port_of storage)" --quiet --keep-alive posix "$folder/storage"
}

# The server's own configuration reads these variables, here and in its container.
run_temporal() {
  local shards=${NUM_HISTORY_SHARDS:-4}
  clear_environment
  export LOG_LEVEL=warn NUM_HISTORY_SHARDS=$shards
  export DB=postgres12 POSTGRES_SEEDS=127.0.0.1 DB_PORT POSTGRES_USER=temporal POSTGRES_PWD=$database_password
  DB_PORT=$(port_of postgres)
  export BIND_ON_IP=127.0.0.1 TEMPORAL_BROADCAST_ADDRESS=127.0.0.1
  export FRONTEND_GRPC_PORT=$first_port FRONTEND_MEMBERSHIP_PORT=$((first_port + 1)) FRONTEND_HTTP_PORT=0
  export HISTORY_GRPC_PORT=$((first_port + 2)) HISTORY_MEMBERSHIP_PORT=$((first_port + 3))
  export MATCHING_GRPC_PORT=$((first_port + 4)) MATCHING_MEMBERSHIP_PORT=$((first_port + 5))
  export WORKER_GRPC_PORT=$((first_port + 6)) WORKER_MEMBERSHIP_PORT=$((first_port + 7))
  export PROMETHEUS_ENDPOINT=127.0.0.1:$((first_port + 8))
  export DYNAMIC_CONFIG_FILE_PATH="$root/deploy/temporal/dynamic-config.yaml"
  exec setsid "$temporal_programs/server" --allow-no-auth start
}

run_worker() {
  eval "$(print_environment)"
  cd "$folder"
  exec setsid node "$root/dist/cli/main.js" worker --store "$CUPID_STORE" --telemetry "$(port_of "$1")" "${worker_options[@]}"
}

run_prometheus() {
  configure_prometheus
  clear_environment
  exec setsid prometheus --config.file "$folder/prometheus.yaml" --storage.tsdb.path "$folder/prometheus" \
    --web.listen-address "127.0.0.1:$(port_of prometheus)"
}

# Scrapes every worker that was started at some time.
configure_prometheus() {
  local part targets=''
  for part in $(list_known); do [[ $part != worker-* ]] || targets+="'127.0.0.1:$(port_of "$part")', "; done
  sed -e "s|'127.0.0.1:9464'|${targets%, }|" -e "s|- alerts.yaml|- $root/deploy/alerts.yaml|" \
    "$root/deploy/prometheus.yaml" >"$folder/prometheus.yaml"
}

clear_environment() {
  local name
  for name in $(compgen -e); do
    case $name in PATH | HOME | LANG | TMPDIR | TZ) ;; *) unset "$name" ;; esac
  done
}

# PostgreSQL

# It refuses to run as root. Its user reads this folder and its programs whatever the folders above them permit: access(2), by which it looks
# for its programs, respects the capability only with no_setuid_fixup.
as_postgres=()
if [ "$(id -u)" -eq 0 ]; then
  if id postgres >/dev/null 2>&1; then postgres_user=postgres; else postgres_user=nobody; fi
  as_postgres=(setpriv --reuid "$postgres_user" --regid "$(id -g "$postgres_user")" --clear-groups)
  as_postgres+=(--inh-caps '-all,+dac_override' --ambient-caps '-all,+dac_override')
  ! setpriv --securebits +no_setuid_fixup true 2>/dev/null || as_postgres+=(--securebits +no_setuid_fixup)
fi

initialize_database() {
  mkdir -p "$folder/postgres"
  [ "$(id -u)" -ne 0 ] || chown -R "$postgres_user:" "$folder/postgres"
  [ ! -e "$folder/postgres/PG_VERSION" ] || return 0
  "${as_postgres[@]}" "$postgres_programs/initdb" --no-sync --pgdata "$folder/postgres" --encoding UTF8 --no-locale \
    --username temporal --auth scram-sha-256 --pwfile <(echo "$database_password") >>"$folder/logs/set-up.log" 2>&1 ||
    fail "The database was not created. See $folder/logs/set-up.log."
}

create_schema() {
  SQL_HOST=127.0.0.1 SQL_PORT=$(port_of postgres) SQL_USER=temporal SQL_PASSWORD=$database_password \
    "$root/deploy/temporal/create-schema.sh" "$temporal_programs/sql" >>"$folder/logs/set-up.log" 2>&1 ||
    fail "Temporal's schema was not created. See $folder/logs/set-up.log."
}

main "$@"
