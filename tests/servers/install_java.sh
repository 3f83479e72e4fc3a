#!/bin/sh
# Installs what the tests of search servers need: Maven and Java to fetch and run Elasticsearch and OpenSearch, openssl
# for a certificate. Does nothing where they are.
set -eu

if command -v java >/dev/null 2>&1 && command -v mvn >/dev/null 2>&1 && command -v openssl >/dev/null 2>&1; then
    exit 0
fi

if ! command -v apt-get >/dev/null 2>&1; then
    echo "install_java.sh: no apt-get here; install Java 17 or newer, Maven and openssl by hand and run again" >&2
    exit 1
fi

as_root=""
if [ "$(id -u)" -ne 0 ]; then
    as_root="sudo"
fi

$as_root apt-get update -qq
# Java 17 on Debian 12, newer ones on newer systems, which will do.
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends default-jre-headless maven openssl
