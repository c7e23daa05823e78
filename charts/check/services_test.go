package check

import (
	"testing"

	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestLoadBalancersStandInFrontOfPodsThatEndTLS is here and not among the chart's ci
// files: helm install --wait waits for an address that only a provider gives.
func TestLoadBalancersStandInFrontOfPodsThatEndTLS(t *testing.T) {
	values := map[string]any{}
	text := `{
		tls: {mode: pods, secretName: wildcard-tls},
		defaults: {service: {type: LoadBalancer, annotations: {example.com/balancer: network}}},
	}`
	if err := yaml.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	rendered, err := render(values)
	if err != nil {
		t.Fatal(err)
	}
	balanced := map[string]bool{}
	for _, document := range rendered.documents["comporta/templates/services.yaml"] {
		object, _, err := strict(t).Decode([]byte(document), nil, nil)
		if err != nil {
			t.Fatalf("%v:\n%s", err, document)
		}
		service := object.(*core.Service)
		if service.Spec.Type != core.ServiceTypeLoadBalancer {
			continue // for Prometheus, or auth's gRPC
		}
		balanced[service.Name] = true
		if port := service.Spec.Ports[0]; port.Port != 443 || service.Annotations["example.com/balancer"] != "network" {
			t.Errorf("%s has port %d and annotations %v", service.Name, port.Port, service.Annotations)
		}
	}
	for _, name := range []string{"comporta-auth", "comporta-docs", "comporta-build", "comporta-secure", "comporta-observe", "comporta-storage"} {
		if !balanced[name] {
			t.Errorf("no load balancer leads to %s", name)
		}
	}
	if len(balanced) != 6 {
		t.Errorf("%v have a load balancer; want six", balanced)
	}
}
