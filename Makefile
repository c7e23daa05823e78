# Comporta. `make` alone prints what there is.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# The one list of modules: `./...` at a workspace root finds nothing.
MODULES  := proto pkg services tools
PACKAGES := $(addsuffix /...,$(addprefix ./,$(MODULES)))

# The one list of binaries: each is the last folder of its main package.
BINARIES := docs/docs-mcp build/build-mcp secure/secure-mcp observe/observe-mcp storage/storage-mcp \
            auth/comporta-auth worker/comporta-worker sandbox/comporta-sandbox ops/comporta-ops local/comporta \
            bridge/comporta-bridge

# The file VERSION says what this is, or becomes: the chart and the areas say the same
# (make chart). What is built between two releases bears its commit, too.
RELEASE := $(shell cat VERSION)
VERSION ?= $(RELEASE)$(shell git describe --tags --exact-match --match 'v$(RELEASE)' >/dev/null 2>&1 || echo "-$$(git describe --always --dirty --exclude '*' 2>/dev/null || echo dev)")
# The bridge has a variable of its own: it starts in milliseconds, and links no configuration.
LDFLAGS := -s -w -X github.com/comporta-mcp/comporta/services/internal/process.Version=$(VERSION) -X main.version=$(VERSION)

# The race detector needs a C compiler; CI insists on it (see .ci/run).
RACE := $(if $(shell command -v cc),-race,)

export PATH := $(CURDIR)/.bin:$(PATH)

.PHONY: help
help: ## this list
	@echo "Comporta: the gate between AI agents and a platform's API"
	@echo
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "New here? make run, then README.md."

.PHONY: run
run: ## everything on this machine: five areas, auth, worker, a sandbox platform; nothing to configure
	@echo "building (the first time takes some minutes) ..."
	@mkdir -p bin && CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/comporta ./services/local/comporta
	@exec bin/comporta

.PHONY: build
build: ## every binary, static, into bin/
	@mkdir -p bin
	@for b in $(BINARIES); do \
	  echo "bin/$${b##*/}"; \
	  CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/$${b##*/} ./services/$$b || exit 1; \
	done

.PHONY: test
test: test-go test-peers ## every test: Go with the race detector, then real MCP peers against a running Comporta

.PHONY: test-go
test-go: ## the Go tests only
	@[ -n "$(RACE)" ] || echo "no C compiler here: running without the race detector"
	go test $(RACE) -count=1 -timeout 20m $(PACKAGES)
	cd tools/images && GOWORK=off CGO_ENABLED=0 go test -count=1 .

.PHONY: test-peers
test-peers: peers ## TypeScript SDKs, Inspector and the conformance suite against `make run`; the agent's side against real servers
	@test/peers/run

# What test/peers runs against.
.PHONY: peers
peers:
	@mkdir -p bin
	@CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/comporta ./services/local/comporta
	@CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/comporta-bridge ./services/bridge/comporta-bridge
	@CGO_ENABLED=0 go build -o bin/conformanceclient ./pkg/agent/internal/conformanceclient

.PHONY: check
check: lint test ## what CI runs

.PHONY: lint
lint: .bin/staticcheck .bin/buf ## formatting, vet, staticcheck, proto lint, generated files, the chart
	@unformatted=$$(gofmt -l $(MODULES) charts); [ -z "$$unformatted" ] || { echo "not gofmt-ed:"; echo "$$unformatted"; exit 1; }
	go vet $(PACKAGES)
	go vet -tags faults $(PACKAGES)
	.bin/staticcheck $(PACKAGES)
	cd proto && buf lint && buf format --diff --exit-code
	@tools/check-generated
	@$(MAKE) --no-print-directory chart

.PHONY: chart
chart: ## the chart: Helm's lint, bad values, every object decoded strictly, deploy/k8s against drift
	cd charts/check; export GOWORK=off CGO_ENABLED=0; go vet ./... && go test -count=1 ./...

.PHONY: deploy
deploy: ## deploy/k8s/base anew, from the chart
	cd charts/check && GOWORK=off CGO_ENABLED=0 go test -count=1 -run TestTheDeployment . -update

# Images hold one static binary each. A tag that is no version gets the commit's time.
PLATFORMS ?= linux/amd64
REGISTRY  ?= comporta
IMAGES     = $(filter-out comporta,$(notdir $(BINARIES)))
comma     := ,

.PHONY: images
images: ## container images from scratch, as tarballs in dist/images (PLATFORMS=, REGISTRY=, VERSION=, PUSH=-push)
	@for p in $(subst $(comma), ,$(PLATFORMS)); do \
	  into=bin/images/$${p/\//-}; mkdir -p $$into; \
	  for b in $(filter-out local/comporta,$(BINARIES)); do \
	    GOOS=$${p%%/*} GOARCH=$${p##*/} CGO_ENABLED=0 go build -trimpath -buildvcs=auto -ldflags '$(LDFLAGS)' -o $$into/$${b##*/} ./services/$$b || exit 1; \
	  done; \
	done
	@cd tools/images && GOWORK=off CGO_ENABLED=0 go build -o ../../.bin/images .
	@.bin/images -platforms '$(PLATFORMS)' -registry '$(REGISTRY)' -tag '$(VERSION)' -revision "$$(git rev-parse HEAD 2>/dev/null)" \
	  -epoch "$$(git log -1 --format=%ct 2>/dev/null || echo 0)" $(PUSH) $(IMAGES)

.PHONY: tokens
tokens: ## what the tool lists cost a model, in tokens, against the budgets
	@go run ./tools/tokens

.PHONY: generate
generate: .bin/buf .bin/protoc-gen-go .bin/protoc-gen-go-grpc ## generated Go from proto/
	cd proto && buf generate

.PHONY: public
public: ## how the catalogues differ from the platform's public OpenAPI document, with reasons
	go test -count=1 -v -run 'TestFactsEqualThePublicDocument|TestEveryPublicOperation' ./services/build/api ./services/secure/api ./services/observe/api ./services/storage/api ./services/catalogs

.PHONY: every-tool
every-tool: ## every tool called once through MCP, its traffic held against the public OpenAPI document: N of N
	go test -count=1 -v -run EveryTool ./services/internal/everytool

.PHONY: bench
bench: peers ## benchmarks, the bridge beside mcp-remote too; read the ratios, not the absolute times
	go test -run '^$$' -bench . -benchmem $(PACKAGES)
	test/peers/run bridge-bench.mjs

# The test corpora lie beside the project and are not part of it.
QUERIES ?= ../shared/corpus/relevance-dev.jsonl
CORPUS  ?= ../shared/corpus

.PHONY: relevance
relevance: ## asks docs-mcp the questions of QUERIES=<file> over CORPUS=<folder> and scores the answers
	@mkdir -p bin && CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o bin/comporta ./services/local/comporta
	@go run ./services/docs/relevance -comporta bin/comporta -corpus '$(CORPUS)' -queries '$(QUERIES)' -out bin/relevance

.PHONY: relevance-folds
relevance-folds: ## what the scorer's numbers are worth on questions that did not set them (FOLDS=5; minutes)
	@go run ./services/docs/relevance -folds $(or $(FOLDS),5) -corpus '$(CORPUS)' -queries '$(QUERIES)'

.PHONY: fuzz
fuzz: ## every fuzz target for a while each (FUZZTIME=30s)
	@tools/fuzz $(or $(FUZZTIME),30s)

.PHONY: clean
clean: ## what this Makefile made
	rm -rf bin .bin

# The tools' versions are pinned in tools/go.mod.
.bin/buf:                ; cd tools && go build -o ../$@ github.com/bufbuild/buf/cmd/buf
.bin/staticcheck:        ; cd tools && go build -o ../$@ honnef.co/go/tools/cmd/staticcheck
.bin/protoc-gen-go:      ; cd tools && go build -o ../$@ google.golang.org/protobuf/cmd/protoc-gen-go
.bin/protoc-gen-go-grpc: ; cd tools && go build -o ../$@ google.golang.org/grpc/cmd/protoc-gen-go-grpc
.bin/buf .bin/staticcheck .bin/protoc-gen-go .bin/protoc-gen-go-grpc: tools/go.mod
