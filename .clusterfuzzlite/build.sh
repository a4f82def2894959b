#!/bin/bash -eu
# Builds every fuzz target, each with its seeds and its dictionary.
cd "$SRC/rosenblatt"
cargo fuzz build -O --debug-assertions
for target in $(cargo fuzz list); do
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    [ ! -d "fuzz/seeds/$target" ] || zip -qj "$OUT/${target}_seed_corpus.zip" "fuzz/seeds/$target"/*
    [ ! -f "fuzz/$target.dict" ] || cp "fuzz/$target.dict" "$OUT/"
done
