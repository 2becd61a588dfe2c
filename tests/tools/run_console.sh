#!/bin/sh
# Commands print what the documentation shows.
exec "$1/tools/check-console" "$2" README.md docs/tutorial-profile.md docs/tutorial-race.md docs/tutorial-async.md docs/lab.md docs/exercises.md docs/api.md docs/check.md docs/device.md docs/cudadma.md docs/streams.md docs/records.md docs/textures.md docs/bench.md CONTRIBUTING.md
