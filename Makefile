# Two commands are enough: `make run` and `make test`. They need a Rust toolchain and a C compiler.

CARGO   ?= cargo
PROFILE ?= release
TENLEAF  = $(CARGO) run --profile $(PROFILE) --quiet --locked --
# Where cargo builds; what we make ourselves goes there too.
TARGET  := $(or $(CARGO_TARGET_DIR),target)

.DEFAULT_GOAL := help
.PHONY: help run test fmt clippy doc deny data index model embed eval associations bench gate screen man install clean

help:           ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run:            ## build the workbench and open it
	$(CARGO) run --release --locked

test: fmt clippy doc deny            ## formatting, lints, documentation, every test
	$(CARGO) test --locked

fmt:            ## is everything formatted?
	$(CARGO) fmt --check

clippy:         ## lints, as errors
	$(CARGO) clippy --locked --all-targets -- -D warnings

doc:            ## API documentation, warnings as errors
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --locked --no-deps --document-private-items

deny:           ## licences and sources of the dependencies (where cargo-deny is installed)
	@if command -v cargo-deny >/dev/null; then $(CARGO) deny check bans licenses sources; \
	else echo "cargo-deny is not installed: licences not checked"; fi

data:           ## fetch FinanceBench: 150 questions, 360 filings, about 575 MB
	$(TENLEAF) data fetch

index:          ## bring the index in line with the filings
	$(TENLEAF) index

model:          ## fetch the embedding model and its runtime
	$(TENLEAF) model fetch

embed:          ## embed every page
	$(TENLEAF) embed

eval:           ## run the ladder and write docs/RESULTS.md
	$(TENLEAF) eval --write docs/RESULTS.md

associations:   ## learn assets/associations.tsv from LIBRARY (words and the topics they go with)
	$(CARGO) run --release --locked --example associations -- $(LIBRARY) > $(TARGET)/associations.tsv && mv $(TARGET)/associations.tsv assets/

gate:           ## fail when quality on dev has fallen
	$(TENLEAF) eval --gate

bench:          ## measure build, open, query, keystroke, memory
	$(CARGO) bench --locked

screen:         ## draw the workbench on FinanceBench for the README: docs/screen.svg
	$(CARGO) build --release --locked
	$(CARGO) run --locked --example screen -- $(abspath $(TARGET))/release/tenleaf docs/screen.svg 160x52 '\eQ03029\n'

man:            ## manual pages into target/man
	$(TENLEAF) man --dir $(TARGET)/man

install:        ## put the program into cargo's bin folder
	$(CARGO) install --locked --path .

clean:          ## remove everything built
	$(CARGO) clean
