package sandbox

import (
	"testing"
	"time"
)

func TestWhatAnswers202IsPendingForAWhile(t *testing.T) {
	b := open(t, gardens())
	status := func(path string) string {
		g := b.do(200, "admin", "GET", path, nil)
		return text(g.body["state"]) + " " + text(g.data()["status"])
	}
	made := b.do(202, "admin", "POST", "/workspace/sheds", map[string]any{"name": "shed"})
	path := "/workspace/sheds/" + made.id()
	if made.body["state"] != "pending" || status(path) != "pending creating" {
		t.Errorf("created: %s, then %s", made.raw, status(path))
	}
	b.restart()
	b.pass(59 * time.Second)
	if got := status(path); got != "pending creating" {
		t.Errorf("after 59 s it is %s", got)
	}
	b.pass(time.Second)
	if got := status(path); got != "executed created" {
		t.Errorf("after 60 s it is %s", got)
	}
	if g := b.do(202, "admin", "PATCH", path, map[string]any{"name": "barn"}); g.body["state"] != "pending" || g.data()["name"] != "barn" {
		t.Errorf("changed: %s", g.raw)
	}
	b.pass(time.Minute)
	if g := b.do(202, "admin", "DELETE", path, nil); g.body["state"] != "pending" {
		t.Errorf("deleted: %s", g.raw)
	}
	if got := status(path); got != "pending deleting" {
		t.Errorf("while it is deleted it is %s", got)
	}
	b.do(409, "admin", "PATCH", path, map[string]any{"name": "x"})
	b.do(409, "admin", "DELETE", path, nil)
	b.do(409, "admin", "POST", path+"/tools", map[string]any{"name": "rake"})
	b.pass(time.Minute)
	b.do(404, "admin", "GET", path, nil)
	if n := len(b.do(200, "admin", "GET", "/workspace/sheds", nil).results()); n != 0 {
		t.Errorf("the list still has %d", n)
	}
}

func TestAListCanBeAskedForAStatus(t *testing.T) {
	b := open(t, gardens())
	b.do(202, "admin", "POST", "/workspace/sheds", map[string]any{"name": "old"})
	b.pass(time.Minute)
	b.do(202, "admin", "POST", "/workspace/sheds", map[string]any{"name": "new"})
	if names := b.do(200, "admin", "GET", "/workspace/sheds?status=creating", nil).names(); names != "new" {
		t.Errorf("creating: %s", names)
	}
}

func TestARepeatWithTheSameKeyIsAnsweredAsTheFirstWas(t *testing.T) {
	b := open(t, gardens(), func(c *Config) { c.IdempotencyKeys = true })
	key := with("Idempotency-Key", "k-1")
	first := b.do(201, "admin", "POST", "/workspace/gardens", map[string]any{"name": "Horta"}, key)
	b.restart()
	again := b.do(201, "admin", "POST", "/workspace/gardens", map[string]any{"name": "Horta"}, key)
	if string(first.raw) != string(again.raw) {
		t.Errorf("first %s, again %s", first.raw, again.raw)
	}
	if n := b.effects("create_garden"); n != 1 {
		t.Errorf("it took effect %d times", n)
	}
	wantFault(t, b.do(422, "admin", "POST", "/workspace/gardens", map[string]any{"name": "Other"}, key), "10073", "Idempotency-Key")
	b.do(201, "outsider", "POST", "/workspace/gardens", map[string]any{"name": "Other"}, key)

	path := "/workspace/gardens/" + first.id()
	b.do(400, "admin", "PATCH", path, map[string]any{"area": 0}, with("Idempotency-Key", "k-2"))
	b.do(200, "admin", "PATCH", path, map[string]any{"area": 1}, with("Idempotency-Key", "k-2"))
	for range 2 {
		b.do(200, "admin", "DELETE", path, nil, with("Idempotency-Key", "k-3"))
	}
	b.do(404, "admin", "DELETE", path, nil, with("Idempotency-Key", "k-4"))
}

func TestParallelRepeatsTakeEffectOnce(t *testing.T) {
	b := open(t, gardens(), func(c *Config) { c.IdempotencyKeys = true })
	ids := make(chan string, 20)
	for range cap(ids) {
		go func() {
			g, err := b.send("admin", "POST", "/workspace/gardens", map[string]any{"name": "Horta"}, with("Idempotency-Key", "k"))
			if err != nil {
				t.Error(err)
			}
			ids <- g.id()
		}()
	}
	first := <-ids
	for range cap(ids) - 1 {
		if id := <-ids; id != first {
			t.Errorf("one got %s, another %s", first, id)
		}
	}
	if n := b.effects("create_garden"); n != 1 {
		t.Errorf("it took effect %d times", n)
	}
}

func TestWithoutTheSwitchAKeyMeansNothing(t *testing.T) {
	b := open(t, gardens())
	for range 2 {
		b.do(201, "admin", "POST", "/workspace/gardens", map[string]any{"name": "Horta"}, with("Idempotency-Key", "k"))
	}
	if n := b.effects("create_garden"); n != 2 {
		t.Errorf("it took effect %d times", n)
	}
}
