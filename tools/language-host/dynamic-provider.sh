#!/bin/sh
# Starts the SDK's launcher of dynamic providers, which runs `node` from PATH. When that node is too old for the
# packages that a provider loads (older than 22.19), the node that set-up has copied beside the CLI comes first on PATH.
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd) || exit 1
recent='const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 19) ? 0 : 1)'
if [ -x "$here/node/bin/node" ] && ! node -e "$recent" 2>/dev/null; then
  PATH="$here/node/bin:$PATH"
  export PATH
fi
exec "$here/sdk/pulumi-resource-pulumi-nodejs" "$@"
