package local

import (
	"fmt"
	"testing"
)

// limited reports what is wrong with a problem that must be the limit's, of a
// window of this many seconds.
func limited(t *testing.T, problem map[string]any, limit string, window float64) {
	t.Helper()
	detail, _ := problem["detalle"].(map[string]any)
	wait, _ := problem["reintentar_en_segundos"].(float64)
	if problem["code"] != "limite_excedido" || problem["reintentable"] != true || detail["limite"] != limit || detail["status"] != 429.0 {
		t.Errorf("want the limit %s, got %v", limit, problem)
	}
	if wait < 1 || wait > window {
		t.Errorf("it says to wait %v s of %v", wait, window)
	}
}

// TestChangesOfDNSAreLimitedPerCompany is contract §8: the links of a company
// share ten in a minute, whatever they change, and another company has its own.
func TestChangesOfDNSAreLimitedPerCompany(t *testing.T) {
	e := launch(t, fresh(t))
	zone := func(person, domain string) map[string]any {
		return e.ok("secure", person, "create_dns_zone", map[string]any{"name": domain, "domain": domain, "active": true})
	}
	shared := zone("admin", "shared.example.com")["data"].(map[string]any)["id"]
	record := func(i int) map[string]any {
		return map[string]any{"zone_id": shared, "name": fmt.Sprintf("www%d", i), "type": "A", "rdata": []any{"192.0.2.1"}}
	}
	for i := range 9 { // the zone was the first change
		e.ok("secure", []string{"admin", "member"}[i%2], "create_dns_record", record(i))
	}
	for _, person := range []string{"admin", "member"} {
		t.Run("the eleventh change is refused to "+person, func(t *testing.T) {
			args := record(9)
			limited(t, e.fails("secure", person, "create_dns_record", args), "dns", 60)
			args["dry_run"] = true
			e.ok("secure", person, "create_dns_record", args) // changes nothing, so it costs nothing
		})
	}
	e.ok("secure", "member", "list_dns_records", map[string]any{"zone_id": shared})
	zone("admin_2", "other.example.com") // the same person, in another company
}

// TestACertificateIsRequestedOncePerHostAndHour is contract §8: what counts is each
// name that is asked for, in any spelling and by anybody of the company.
func TestACertificateIsRequestedOncePerHostAndHour(t *testing.T) {
	e := launch(t, fresh(t))
	ask := func(name string, further ...any) map[string]any {
		args := map[string]any{"name": name, "common_name": name, "challenge": "dns", "authority": "lets_encrypt"}
		if len(further) > 0 {
			args["alternative_names"] = further
		}
		return args
	}
	e.ok("secure", "member", "request_certificate", ask("shop.example.com"))
	limited(t, e.fails("secure", "member", "request_certificate", ask("shop.example.com")), "certificates", 3600)
	limited(t, e.fails("secure", "admin", "request_certificate", ask("Shop.Example.com")), "certificates", 3600)
	limited(t, e.fails("secure", "member", "request_certificate", ask("new.example.com", "shop.example.com")), "certificates", 3600)
	e.ok("secure", "member", "request_certificate", ask("new.example.com")) // the refused call spent nothing
	e.ok("secure", "admin_2", "request_certificate", ask("shop.example.com"))
}
