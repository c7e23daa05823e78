package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsCreatedComesBackWithDefaultsAndThePlatformsOwnFields(t *testing.T) {
	b := open(t, gardens())
	made := b.do(201, "admin", "POST", "/workspace/gardens", map[string]any{"name": "Horta", "note": nil})
	data := made.data()
	if made.body["state"] != "executed" || data["last_editor"] != "ana.admin@comporta.example" ||
		data["last_modified"] != "2026-03-01T12:00:00Z" || data["product_version"] != "1.0" || data["surveyed_at"] != nil {
		t.Errorf("the platform's own fields: %s", made.raw)
	}
	if host, _ := data["garden_domain"].(string); !strings.HasSuffix(host, ".map.sandbox.example") {
		t.Errorf("garden_domain is %q", host)
	}
	if data["active"] != true || data["climate"] != "mild" {
		t.Errorf("defaults: %s", made.raw)
	}
	// light's defaults make it whole; heat lacks its required degrees.
	want := map[string]any{"light": map[string]any{"enabled": true}}
	if diff := cmp.Diff(want, data["modules"]); diff != "" {
		t.Errorf("modules (-want +got):\n%s", diff)
	}
	b.restart()
	read := b.do(200, "reader", "GET", "/workspace/gardens/"+made.id(), nil)
	if diff := cmp.Diff(made.body, read.body); diff != "" {
		t.Errorf("after a restart (-created +read):\n%s", diff)
	}
}

func TestIdsGrowOverAccountsAndCollectionsAndRestarts(t *testing.T) {
	b := open(t, gardens())
	last := ""
	for _, who := range []string{"admin", "outsider", "admin_2", "admin"} {
		id := b.do(201, who, "POST", "/workspace/gardens", map[string]any{"name": "g"}).id()
		if id <= last {
			t.Errorf("id %s came after %s", id, last)
		}
		last = id
		b.restart()
	}
}

func TestPutSetsEverythingAnewAndPatchOnlyWhatItNames(t *testing.T) {
	b := open(t, gardens())
	path := b.garden("Horta", map[string]any{
		"area": 12, "climate": "dry", "outlet": map[string]any{"type": "well", "depth": 4},
		"modules": map[string]any{"heat": map[string]any{"degrees": 30}},
	})
	patched := b.do(200, "member", "PATCH", path, map[string]any{
		"active": false, "modules": map[string]any{"heat": map[string]any{"enabled": true, "degrees": 31}},
	}).data()
	if patched["name"] != "Horta" || patched["climate"] != "dry" || patched["active"] != false ||
		patched["last_editor"] != "mario.membro@comporta.example" {
		t.Errorf("after PATCH: %v", patched)
	}
	modules, _ := patched["modules"].(map[string]any)
	if modules["light"] == nil {
		t.Errorf("PATCH of one module took the other away: %v", modules)
	}
	swapped := b.do(200, "admin", "PATCH", path, map[string]any{"outlet": map[string]any{"type": "tap"}}).data()
	if diff := cmp.Diff(map[string]any{"type": "tap"}, swapped["outlet"]); diff != "" {
		t.Errorf("another kind of outlet keeps nothing of the old one (-want +got):\n%s", diff)
	}
	put := b.do(200, "admin", "PUT", path, map[string]any{"name": "Jardim"}).data()
	if put["climate"] != "mild" || put["area"] != nil || put["outlet"] != nil || put["active"] != true {
		t.Errorf("PUT left old values: %v", put)
	}
	if put["garden_domain"] != patched["garden_domain"] {
		t.Errorf("PUT changed what only the platform sets")
	}
}

func TestADeletedResourceAndAllBelowItAreGone(t *testing.T) {
	b := open(t, gardens())
	garden := b.garden("Horta")
	bed := garden + "/beds/" + b.do(201, "admin", "POST", garden+"/beds", map[string]any{"name": "b"}).id()
	other := b.garden("Jardim")
	if state := b.do(200, "admin", "DELETE", garden, nil).body["state"]; state != "executed" {
		t.Errorf("state %v", state)
	}
	for _, path := range []string{garden, garden + "/beds", bed, bed + "/plants", garden + "/fence"} {
		b.do(404, "admin", "GET", path, nil)
	}
	b.do(404, "admin", "DELETE", garden, nil)
	b.do(200, "admin", "GET", other, nil)
}

func TestACloneHasCopiesOfEverythingBelowWithIdsOfTheirOwn(t *testing.T) {
	b := open(t, gardens())
	garden := b.garden("Horta", map[string]any{"area": 7})
	bed := garden + "/beds/" + b.do(201, "admin", "POST", garden+"/beds", map[string]any{"name": "bed"}).id()
	plant := b.do(201, "admin", "POST", bed+"/plants", map[string]any{"name": "rose", "lock_code": "s3cret"})
	b.do(200, "admin", "PUT", garden+"/fence", map[string]any{"locked": true})
	copied := b.do(201, "admin", "POST", garden+"/clone", map[string]any{"name": "Horta 2"})
	if copied.data()["name"] != "Horta 2" || copied.data()["area"].(interface{ String() string }).String() != "7" {
		t.Errorf("clone: %s", copied.raw)
	}
	again := "/workspace/gardens/" + copied.id()
	beds := b.do(200, "admin", "GET", again+"/beds", nil)
	if beds.names() != "bed" || strings.HasSuffix(bed, "/"+text(beds.results()[0]["id"])) {
		t.Fatalf("beds of the clone: %s", beds.raw)
	}
	plants := b.do(200, "admin", "GET", again+"/beds/"+text(beds.results()[0]["id"])+"/plants", nil)
	if plants.names() != "rose" || text(plants.results()[0]["id"]) == plant.id() {
		t.Errorf("plants of the clone: %s", plants.raw)
	}
	if b.do(200, "admin", "GET", again+"/fence", nil).data()["locked"] != true {
		t.Errorf("the clone's fence is another")
	}
	b.do(200, "admin", "DELETE", garden, nil)
	b.do(200, "admin", "GET", again+"/beds/"+text(beds.results()[0]["id"]), nil)
}

func TestOrderIsKeptAndNewItemsStandAtTheEnd(t *testing.T) {
	b := open(t, gardens())
	chores := b.garden("Horta") + "/chores"
	ids := map[string]any{}
	for _, name := range []string{"a", "b", "c", "d"} {
		ids[name] = b.do(201, "admin", "POST", chores, chore(name)).data()["id"]
	}
	answered := b.do(200, "admin", "PUT", chores+"/order", map[string]any{"order": []any{ids["c"], ids["a"]}})
	if answered.names() != "c a b d" {
		t.Errorf("answered %s", answered.names())
	}
	b.do(201, "admin", "POST", chores, chore("e"))
	b.restart()
	if names := b.do(200, "admin", "GET", chores, nil).names(); names != "c a b d e" {
		t.Errorf("listed %s", names)
	}
	twice := b.do(400, "admin", "PUT", chores+"/order", map[string]any{"order": []any{ids["c"], ids["c"]}})
	wantFault(t, twice, "10000", "/order/1")
	b.do(400, "admin", "PUT", chores+"/order", map[string]any{"order": []any{5}})
}

func chore(name string) map[string]any {
	return map[string]any{"name": name, "steps": []any{[]any{map[string]any{"what": "dig"}}}}
}

func TestASingletonIsThereFromTheStart(t *testing.T) {
	b := open(t, gardens())
	fence := b.garden("Horta") + "/fence"
	if b.do(200, "admin", "GET", fence, nil).data()["locked"] != false {
		t.Errorf("a fence starts locked")
	}
	b.do(200, "admin", "PUT", fence, map[string]any{"locked": true})
	b.do(200, "admin", "PATCH", fence, map[string]any{})
	read := b.do(200, "admin", "GET", fence, nil).data()
	if read["locked"] != true || text(read["height"]) != "120" {
		t.Errorf("fence %v", read)
	}
}

func TestWhatKeepsNothingIsCheckedCountedAndAnsweredFromItsSchema(t *testing.T) {
	b := open(t, gardens())
	g := b.do(201, "admin", "POST", "/workspace/water/can", map[string]any{"places": []any{"here"}})
	if diff := cmp.Diff([]any{"here"}, g.data()["places"]); diff != "" || text(g.data()["litres"]) != "10" {
		t.Errorf("answered %s", g.raw)
	}
	wantFault(t, b.do(400, "admin", "POST", "/workspace/water/sea", map[string]any{"places": []any{"x"}}), "10000", "how")
	b.do(400, "admin", "POST", "/workspace/water/can", map[string]any{"places": []any{}})
	if n := b.effects("water"); n != 1 {
		t.Errorf("it took effect %d times", n)
	}
}

func TestACollectionThatNothingWritesHasItsDocumentsExamples(t *testing.T) {
	b := open(t, gardens())
	if names := b.do(200, "outsider", "GET", "/workspace/varieties?name=TUL", nil).names(); names != "Tulip" {
		t.Errorf("varieties: %s", names)
	}
}

func TestAPathBesideACollectionMakesItsItems(t *testing.T) {
	b := open(t, gardens())
	made := b.do(201, "admin", "POST", "/workspace/sheds/request", map[string]any{"name": "shed", "builder": "Joe"})
	read := b.do(200, "admin", "GET", "/workspace/sheds/"+made.id(), nil).data()
	if read["builder"] != "Joe" || read["status"] != "created" {
		t.Errorf("shed %v", read)
	}
}

func TestASecretGoesInAndNeverComesOut(t *testing.T) {
	b := open(t, gardens())
	beds := b.garden("Horta") + "/beds"
	plants := beds + "/" + b.do(201, "admin", "POST", beds, map[string]any{"name": "b"}).id() + "/plants"
	made := b.do(201, "admin", "POST", plants, map[string]any{"name": "rose", "lock_code": "s3cret"})
	for _, g := range []got{made, b.do(200, "admin", "GET", plants, nil), b.do(200, "admin", "GET", plants+"/"+made.id(), nil)} {
		if strings.Contains(string(g.raw), "s3cret") || strings.Contains(string(g.raw), "lock_code") {
			t.Errorf("answered %s", g.raw)
		}
	}
}

func TestPutMakesWhatNothingElseCreates(t *testing.T) {
	b := open(t, gardens())
	b.do(404, "admin", "GET", "/workspace/labels/red", nil)
	b.do(200, "admin", "PUT", "/workspace/labels/red", map[string]any{"text": "one"})
	b.do(200, "admin", "PUT", "/workspace/labels/red", map[string]any{"text": "two"})
	want := map[string]any{"label": "red", "text": "two"}
	if diff := cmp.Diff(want, b.do(200, "admin", "GET", "/workspace/labels/red", nil).data()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	}
	return ""
}

// wantFault wants a first fault of a code at a place.
func wantFault(t *testing.T, g got, code, place string) {
	t.Helper()
	errors, _ := g.body["errors"].([]any)
	if len(errors) == 0 {
		t.Fatalf("not in the platform's form: %s", g.raw)
	}
	first, _ := errors[0].(map[string]any)
	source, _ := first["source"].(map[string]any)
	at := text(source["pointer"]) + text(source["parameter"]) + text(source["header"])
	if first["code"] != code || at != place || first["title"] == "" || first["detail"] == "" {
		t.Errorf("got %s, want code %s at %q", g.raw, code, place)
	}
}
