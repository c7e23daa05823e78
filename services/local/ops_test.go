package local

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/comporta-mcp/comporta/pkg/bus"
	"github.com/comporta-mcp/comporta/pkg/bus/embedded"
	"github.com/comporta-mcp/comporta/pkg/identity"
	"github.com/comporta-mcp/comporta/services/ops"
)

// TestABackupBringsEverybodyBack wipes NATS and restores it: who was connected
// still is, what was done is still known, and the audit tells of before.
func TestABackupBringsEverybodyBack(t *testing.T) {
	cfg := fresh(t)
	e := launch(t, cfg, hurried)
	agent := e.visitor().connect(e, "nunca")
	begun := e.ok("build", "member", "create_application", map[string]any{"name": "before-the-fire", "idempotency_key": "k-backup"})
	folder := t.TempDir()
	var told strings.Builder
	if err := (ops.Backup{NATS: bus.Config{URL: e.ready.NATS}, To: folder}).Run(t.Context(), &told); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"KV_links", "KV_grants", "KV_keys", "KV_operations", "AUDIT"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("the backup does not tell of %s:\n%s", want, &told)
		}
	}
	e.end()

	if err := os.RemoveAll(cfg.dir("nats")); err != nil {
		t.Fatal(err)
	}
	empty, err := embedded.Start(embedded.Options{Dir: cfg.dir("nats"), Port: cfg.port(natsPort), Lax: true})
	if err != nil {
		t.Fatal(err)
	}
	told.Reset()
	err = ops.Restore{NATS: bus.Config{URL: empty.URL()}, From: folder}.Run(t.Context(), &told)
	empty.Stop()
	if err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}

	e = launch(t, cfg, hurried)
	if got := e.ok("build", "", "ver_contexto_inicial", nil, agent); len(got) == 0 {
		t.Error("the agent's grant opens nothing")
	}
	again := e.ok("build", "member", "create_application", map[string]any{"name": "before-the-fire", "idempotency_key": "k-backup"})
	if again["idempotente"] != true && again["data"] == nil {
		t.Errorf("the repeat of a call from before the fire: %v, the first was %v", again, begun)
	}
	page := e.ok("observe", "member", "listar_mi_auditoria", map[string]any{"limit": 50})
	if text := fmt.Sprint(page); !strings.Contains(text, "create_application") {
		t.Errorf("the audit does not know what was before: %s", text)
	}
}

// TestAWipedStoreWithoutItsBackupKnowsNobody shows that the test above can fail.
func TestAWipedStoreWithoutItsBackupKnowsNobody(t *testing.T) {
	cfg := fresh(t)
	e := launch(t, cfg, hurried)
	agent := e.visitor().connect(e, "nunca")
	e.end()
	if err := os.RemoveAll(cfg.dir("nats")); err != nil {
		t.Fatal(err)
	}
	e = launch(t, cfg, hurried)
	if status, _ := e.call("build", "", "ver_contexto_inicial", nil, agent); status != 401 {
		t.Errorf("a grant that was wiped is answered with %d", status)
	}
}

// TestKeysAreRotatedUnderLoad makes new sealing, storing and signing keys several
// times while agents call, long work runs and people sign in.
func TestKeysAreRotatedUnderLoad(t *testing.T) {
	cfg := fresh(t)
	e := launch(t, cfg, hurried)
	agent := e.visitor().connect(e, "nunca")
	master, err := os.ReadFile(cfg.dir("master.key"))
	if err != nil {
		t.Fatal(err)
	}
	rotate := ops.Rotate{NATS: bus.Config{URL: e.ready.NATS}, MasterKey: identity.Secret(strings.TrimSpace(string(master)))}

	stop, told := make(chan struct{}), make(chan bool)
	var calling sync.WaitGroup
	calling.Go(func() {
		defer close(told)
		for {
			status, message := e.call("build", "", "ver_contexto_inicial", nil, agent)
			select {
			case told <- status == 200 && !message.Result.IsError:
			case <-stop:
				return
			}
		}
	})
	// calls waits for some that began after now.
	calls := func(when string) {
		t.Helper()
		for range 4 {
			if ok := <-told; !ok {
				t.Errorf("%s, a call failed", when)
			}
		}
	}
	for round := range 3 {
		calls(fmt.Sprintf("before rotation %d", round))
		var said strings.Builder
		if err := rotate.Run(t.Context(), &said); err != nil {
			t.Fatal(err)
		}
		calls(fmt.Sprintf("after rotation %d", round))
		// A new client signs in, and tokens of the keys before stay good.
		fresher := e.visitor().connect(e, "nunca")
		e.ok("build", "", "ver_contexto_inicial", nil, fresher)
		e.ok("build", "", "ver_contexto_inicial", nil, agent)
	}
	close(stop)
	calling.Wait()
}
