#!/usr/bin/env bash
# Installs the engines of the seeding recipes on Debian, and runs 40 shards of 4 million users on each. Needs root.
set -euo pipefail
cd "$(dirname "$0")/.."
apt-get install --yes --no-install-recommends slurmctld slurmd slurm-client slurm-wlm-basic-plugins parallel redis-server
npm run build
npx vitest run --mode whole test/e2e/engines.test.ts test/e2e/rate-store.test.ts
