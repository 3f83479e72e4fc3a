#!/bin/sh
# Installs PostgreSQL, which the tests of manifests in it start for themselves. Does nothing where it is.
set -eu

if command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_postgresql.sh: no apt-get here; install PostgreSQL by hand and run again" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi

$as_root apt-get update -qq
# The tests start a server of their own; the package shouldn't start one, too.
$as_root mkdir -p /etc/postgresql-common/createcluster.d
echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.d/tansaku.conf >/dev/null
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends postgresql
