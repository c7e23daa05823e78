package check

import (
	"slices"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// judge demands of every pod what the hardening page promises.
func judge(t *testing.T, what string, object runtime.Object) {
	t.Helper()
	var pod core.PodSpec
	serves := true
	switch o := object.(type) {
	case *apps.Deployment:
		pod = o.Spec.Template.Spec
	case *apps.StatefulSet:
		pod = o.Spec.Template.Spec
	case *core.Pod:
		pod, serves = o.Spec, false
	default:
		return
	}
	yes := func(b *bool) bool { return b != nil && *b }
	no := func(b *bool) bool { return b != nil && !*b }
	demands := map[string]bool{
		"runs as somebody who is not root":  pod.SecurityContext != nil && yes(pod.SecurityContext.RunAsNonRoot),
		"has the runtime's seccomp profile": pod.SecurityContext != nil && pod.SecurityContext.SeccompProfile != nil && pod.SecurityContext.SeccompProfile.Type == core.SeccompProfileTypeRuntimeDefault,
		"gets no token of Kubernetes":       no(pod.AutomountServiceAccountToken),
		"gets no addresses of services":     no(pod.EnableServiceLinks),
		"spreads over nodes":                !serves || len(pod.TopologySpreadConstraints) > 0,
	}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		demands[c.Name+" cannot write to its image"] = s != nil && yes(s.ReadOnlyRootFilesystem)
		demands[c.Name+" cannot become more"] = s != nil && no(s.AllowPrivilegeEscalation) && s.Capabilities != nil && slices.Contains(s.Capabilities.Drop, "ALL")
		demands[c.Name+" asks for memory and has a limit"] = !c.Resources.Requests.Memory().IsZero() && !c.Resources.Limits.Memory().IsZero()
		demands[c.Name+" asks for processor time"] = !c.Resources.Requests.Cpu().IsZero()
		demands[c.Name+" is probed"] = !serves || c.ReadinessProbe != nil
	}
	for demand, kept := range demands {
		if !kept {
			t.Errorf("%s: it is not so that it %s", what, demand)
		}
	}
}
