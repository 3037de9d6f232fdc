#!/bin/sh
# Starts the SDK's launcher of dynamic providers, which runs `node` from PATH. When that node is too old for the
# packages that a provider loads (older than 22.19), the node that set-up has copied beside the CLI comes first on PATH.
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
# Without running a script in it, which takes ten times as long.
version=$(node --version 2>/dev/null)
version=${version#v}
major=${version%%.*}
minor=${version#*.}
minor=${minor%%.*}
is_recent() {
  [ "$major" -gt 22 ] || { [ "$major" -eq 22 ] && [ "$minor" -ge 19 ]; }
} 2>/dev/null
if [ -x "$here/node/bin/node" ] && ! is_recent; then
  PATH="$here/node/bin:$PATH"
  export PATH
fi
exec "$here/sdk/pulumi-resource-pulumi-nodejs" "$@"
