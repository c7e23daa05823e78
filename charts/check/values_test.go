package check

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestBadValuesAreRefused(t *testing.T) {
	tests := []struct{ name, values, told string }{
		{"a key that is not there", `{domian: example.org}`, "domian"},
		{"a key that is not there, deep inside", `{services: {build: {kind: area, binary: build-mcp, autoscaling: {maxReplica: 3}}}}`, "maxReplica"},
		{"a service without its binary", `{services: {billing: {kind: area}}}`, "binary"},
		{"a kind of service that there is not", `{services: {billing: {kind: gateway, binary: x}}}`, "kind"},
		{"text for a number", `{defaults: {replicas: two}}`, "replicas"},
		{"a port beyond all ports", `{defaults: {ports: {http: 80800}}}`, "http"},
		{"two copies, which have no majority", `{natsReplicas: 2}`, "natsReplicas"},
		{"a TLS mode that there is not", `{tls: {mode: maybe}}`, "mode"},
		{"a platform without a scheme", `{platform: {url: api.example.com}}`, "url"},
		{"a user's name in the URL of NATS", `{nats: {enabled: false}, externalNats: {url: "nats://me:secret@nats:4222"}}`, "externalNats"},
		{"memory that is no quantity", `{defaults: {resources: {limits: {memory: plenty}}}}`, "memory"},
		{"a time without its unit", `{auditRetention: "90"}`, "auditRetention"},
		{"a proxy that is no network", `{trustedProxies: [10.0.0.1]}`, "trustedProxies"},
		{"a misspelt value of NATS", `{nats: {config: {cluster: {replica: 5}}}}`, "replica"},
		{"no user at all, which NATS would not hear of", `{global: {podUser: null}}`, "podUser"},
		{"a cluster of two", `{nats: {config: {cluster: {replicas: 2}}}}`, "replicas"},
		{"NATS twice", `{externalNats: {url: "nats://nats:4222"}}`, "exclude each other"},
		{"NATS nowhere", `{nats: {enabled: false}}`, "externalNats.url is needed"},
		{"no auth", `{services: {auth: {kind: auth, binary: comporta-auth, enabled: false}}}`, "no service of kind auth"},
		{"two workers of different names", `{services: {second: {kind: worker, binary: comporta-worker}}}`, "only areas may be several"},
		{"one's own certificates, but not for NATS", `{mutualTLS: {source: secrets}}`, "tls.secretName must be"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			values := map[string]any{}
			if err := yaml.Unmarshal([]byte(test.values), &values); err != nil {
				t.Fatal(err)
			}
			_, err := render(values)
			if err == nil || !strings.Contains(err.Error(), test.told) {
				t.Errorf("it is answered with %v; want a refusal that tells %q", err, test.told)
			}
		})
	}
}

// TestNoUserIsFixed is the bug bank's B82: clusters that assign ids refuse pods that
// bring their own.
func TestNoUserIsFixed(t *testing.T) {
	for name, c := range map[string]struct {
		user int
		want string
	}{
		"another user is everybody's": {1000670000, "1000670000"},
		"0 leaves it to the cluster":  {0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			rendered, err := render(map[string]any{
				"global":   map[string]any{"podUser": c.user},
				"services": map[string]any{"sandbox": map[string]any{"enabled": true}},
				"backup":   map[string]any{"enabled": true, "persistentVolumeClaim": "kept"},
			})
			if err != nil {
				t.Fatal(err)
			}
			pods := 0
			for _, document := range rendered.all {
				pods += strings.Count(document, "runAsNonRoot: true")
				for _, id := range userForm.FindAllStringSubmatch(document, -1) {
					if id[2] != c.want {
						t.Errorf("%s has %s", identify(t, document), id[0])
					}
				}
				if c.want != "" && strings.Contains(document, "runAsNonRoot") && len(userForm.FindAllString(document, -1)) != 3 {
					t.Errorf("%s does not have all three ids", identify(t, document))
				}
			}
			if pods < 11 { // eight services, NATS, the backup, the test
				t.Errorf("%d pods were looked at", pods)
			}
		})
	}
}

var userForm = regexp.MustCompile(`(runAsUser|runAsGroup|fsGroup): (\S+)`)

func TestZeroAndFalseCount(t *testing.T) {
	values := map[string]any{}
	text := `{services: {build: {replicas: 0, autoscaling: {enabled: false}, podDisruptionBudget: {enabled: false}}}}`
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	rendered, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	for source, document := range rendered.all {
		switch identify(t, document) {
		case "Deployment/comporta-build":
			if !strings.Contains(document, "replicas: 0\n") {
				t.Errorf("it does not have 0 replicas:\n%s", document)
			}
		case "HorizontalPodAutoscaler/comporta-build", "PodDisruptionBudget/comporta-build":
			t.Errorf("%s made what is switched off:\n%s", source, document)
		}
	}
}

func TestANewAreaIsOneRow(t *testing.T) {
	values := map[string]any{"services": map[string]any{"billing": map[string]any{"kind": "area", "binary": "billing-mcp"}}}
	rendered, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, document := range rendered.all {
		found[identify(t, document)] = true
		if identify(t, document) == "ConfigMap/comporta-auth" && !strings.Contains(document, "billing: https://billing-mcp.example.com") {
			t.Errorf("auth does not know the area:\n%s", document)
		}
	}
	for _, want := range []string{"Deployment", "ConfigMap", "Service", "Ingress", "HorizontalPodAutoscaler", "PodDisruptionBudget", "NetworkPolicy"} {
		if !found[want+"/comporta-billing"] {
			t.Errorf("there is no %s/comporta-billing", want)
		}
	}
}

func TestAClusterThatCannotDrainIsRefused(t *testing.T) {
	tests := []struct{ name, cluster, told string }{
		{"one without preStop.sleep", "v1.29.4", "needs Kubernetes 1.30 or later; this cluster is v1.29.4"},
		{"the first that has it", "v1.30.0", ""},
		{"a provider's version", "v1.30.0-eks-1234", ""},
		{"what a helm says that knows no version", "v1.20.0", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := renderFor(test.cluster, map[string]any{})
			if test.told == "" && err != nil || test.told != "" && (err == nil || !strings.Contains(err.Error(), test.told)) {
				t.Errorf("it is answered with %v; want %q", err, test.told)
			}
		})
	}
}

func TestATagOfDigitsIsATag(t *testing.T) {
	for _, tag := range []any{"20261201", 20261201, float64(20261201)} {
		rendered, err := render(map[string]any{"image": map[string]any{"tag": tag}})
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range rendered.documents["comporta/templates/workloads.yaml"] {
			if !strings.Contains(document, ":20261201\n") {
				t.Errorf("%v, a %T, became another image:\n%s", tag, tag, document)
			}
		}
	}
	if _, err := render(map[string]any{"image": map[string]any{"tag": 1.5}}); err == nil {
		t.Error("1.5 is taken, which was 1.50 perhaps")
	}
}
