#!/bin/sh
# Print the path of the first Python that runs and can make virtual environments.
# usage: sh tools/find_python.sh 3.11 [3.13 ...]        versions in order of preference
for version in "$@"; do
    for candidate in "python$version" python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python3 \
        "/opt/homebrew/opt/python@$version/bin/python$version"; do
        # A pyenv shim may stand on the path and yet not run: only asking it tells.
        found=$("$candidate" -c 'import sys, venv, ensurepip; print("%d.%d" % sys.version_info[:2], sys.executable)' \
            2>/dev/null) || continue
        [ "${found%% *}" = "$version" ] && printf '%s\n' "${found#* }" && exit 0
    done
done
echo "No working Python of version $* with venv and pip was found; install one (Debian: python3.11 and python3.11-venv)." >&2
exit 1
