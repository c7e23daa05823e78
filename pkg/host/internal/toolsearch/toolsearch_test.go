package toolsearch_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host/internal/toolsearch"
)

func tool(name, title, description, schema string) *catalog.Tool {
	return &catalog.Tool{Name: name, Title: title, Description: description, Input: &catalog.Schema{Full: json.RawMessage(schema)}}
}

var tools = []*catalog.Tool{
	tool("list_firewalls", "List firewalls", "Lists the firewalls.", `{"properties":{"limit":{}}}`),
	tool("create_firewall", "Create a firewall", "Makes a firewall.", `{"properties":{"name":{}}}`),
	tool("delete_firewall", "Delete a firewall", "Deletes a firewall.", `{"properties":{"firewall_id":{}}}`),
	tool("list_firewall_rules", "List the rules of a firewall", "Lists rules.", `{"properties":{"firewall_id":{}}}`),
	tool("delete_firewall_rule", "Delete a rule", "Deletes a rule of a firewall.", `{"properties":{"rule_id":{}}}`),
	tool("update_firewall_rules_order", "Reorder rules", "Puts rules into another order.", `{"properties":{"order":{}}}`),
	tool("create_dns_zone", "Create a zone", "Makes a DNS zone.", `{"properties":{"domain":{}}}`),
	tool("list_dns_zones", "List zones", "Lists DNS zones.", `{"properties":{}}`),
	tool("retrieve_function", "See a function", "Shows a function with its code.", `{"properties":{"function_id":{}}}`),
	tool("create_connector", "Create a connector", "Makes a connector.", `{"properties":{"load_balancer":{"properties":{"keepAliveTimeout":{}}}}}`),
	tool("ver_operacion", "See an operation", "Says how long-running work stands.", `{"properties":{"operacion_id":{}}}`),
}

func everything(*catalog.Tool) bool { return true }

func TestWordsFindTheirTool(t *testing.T) {
	index, err := toolsearch.New(tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, words, first string }{
		{"the name itself", "delete_firewall_rule", "delete_firewall_rule"},
		{"words in English", "list firewalls", "list_firewalls"},
		{"another word for the same", "remove a firewall rule", "delete_firewall_rule"},
		{"Portuguese with accents and a plural", "listar as regras do firewall", "list_firewall_rules"},
		{"Portuguese, a wish", "quero apagar um firewall", "delete_firewall"},
		{"Portuguese without accents", "criar zona", "create_dns_zone"},
		{"Spanish", "borrar una regla del cortafuegos", "delete_firewall_rule"},
		{"Spanish with accents", "¿Cuáles son las zonas?", "list_dns_zones"},
		{"another order", "reordenar regras", "update_firewall_rules_order"},
		{"a person's noun", "show me the code", "retrieve_function"},
		{"the beginning of a word", "list firew", "list_firewalls"},
		{"a slip of the finger", "delte firewal rulle", "delete_firewall_rule"},
		{"a field deep in the arguments", "keep alive timeout", "create_connector"},
		{"capitals", "CREATE ZONE", "create_dns_zone"},
		{"a tool whose name is Spanish", "how does the operation stand", "ver_operacion"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := index.Find(c.words, everything)
			if len(got) == 0 || got[0].Name != c.first {
				t.Errorf("%q finds %v, want %s first", c.words, names(got), c.first)
			}
		})
	}
}

func names(tools []*catalog.Tool) []string {
	var out []string
	for _, t := range tools {
		out = append(out, t.Name)
	}
	return out
}

func TestWordsThatSayNothingFindNothing(t *testing.T) {
	index, err := toolsearch.New(tools)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"", "  ", "the of with", "de la y", "?!", "\x00\xff", "zzzzqqqq"} {
		if got := index.Find(words, everything); len(got) != 0 {
			t.Errorf("%q finds %v", words, names(got))
		}
	}
}

func TestWhatTheCallerMayNotUseIsNotFound(t *testing.T) {
	index, err := toolsearch.New(tools)
	if err != nil {
		t.Fatal(err)
	}
	reads := func(t *catalog.Tool) bool { return t.Name != "delete_firewall" }
	if got := index.Find("delete_firewall", reads); slices.Contains(names(got), "delete_firewall") {
		t.Error(names(got))
	}
}

func TestTheOrderIsTheSameEachTime(t *testing.T) {
	var first []string
	for range 20 {
		index, err := toolsearch.New(tools)
		if err != nil {
			t.Fatal(err)
		}
		got := names(index.Find("firewall rule zone delete create list", everything))
		if first == nil {
			first = got
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatal(diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{"apagar regra", "List_DNSZones", "é\u0301\u0301", "a\xffb", "😀 délete"} {
		f.Add(seed)
	}
	index, err := toolsearch.New(tools)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, words string) {
		got := names(index.Find(words, everything))
		if diff := cmp.Diff(got, names(index.Find(words, everything))); diff != "" {
			t.Error(diff)
		}
	})
}
