package sandbox

import (
	"os"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/services/sandbox/internal/model"
)

// TestThePlatformsPublicDocumentHasAMeaningOnEveryPath reads the platform's own
// document, where it is at hand: whatever an area takes from it, the sandbox
// knows what to do with.
func TestThePlatformsPublicDocumentHasAMeaningOnEveryPath(t *testing.T) {
	const file = "../../../shared/openapi/azion-v4.yaml"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the platform's public document is not beside this repository, in ../shared/openapi")
	}
	spec, err := openapi3.NewLoader().LoadFromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Of(spec)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]model.Kind{}
	var acts []string
	for _, op := range m.Operations {
		kinds[op.ID] = op.Kind
		if op.Kind == model.Act {
			acts = append(acts, op.ID)
		}
	}
	slices.Sort(acts)
	want := []string{"auth_user_login", "auth_user_refresh_token", "auth_user_revoke", "create_purge_request", "execute_query"}
	if diff := cmp.Diff(want, acts); diff != "" {
		t.Errorf("operations that keep nothing (-want +got):\n%s", diff)
	}
	for id, kind := range map[string]model.Kind{
		"list_applications": model.List, "create_object_key": model.Create, "request_certificate": model.Create,
		"create_certificate_signing_request": model.Create, "retrieve_dnssec": model.Retrieve, "update_dnssec": model.Replace,
		"clone_waf": model.Clone, "copy_object_key": model.Copy, "order_firewall_rules": model.Order,
		"update_application_request_rules_order": model.Order, "update_bucket": model.Patch, "delete_dns_record": model.Delete,
	} {
		if kinds[id] != kind {
			t.Errorf("%s is of kind %d, want %d", id, kinds[id], kind)
		}
	}
}
