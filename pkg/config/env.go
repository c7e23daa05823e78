package config

import (
	"slices"
	"strings"
)

// noSettings are variables with our prefix that mean something to the programs
// themselves: the data folder and ports of a local run, the fault points of
// tests, where a local run says that it is ready, and the token of whoever calls
// from the same terminal.
var noSettings = []string{"HOME", "PORT_BASE", "FAULTS", "READY", "CONFIG", "TOKEN"}

func envName(prefix, key string) string { return prefix + "_" + envSuffix(key) }

func envSuffix(key string) string {
	return strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// environment gives the values of our variables by key. A variable with our
// prefix that is no setting is a fault: it is a typing error, nearly always.
func (l *loader) environment() map[string]given {
	values := map[string]given{}
	for _, pair := range l.options.Env {
		name, text, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, l.options.EnvPrefix+"_") {
			continue
		}
		key, known := l.known.byEnv[name]
		switch {
		case known:
			values[key] = fromText(text, name, environmentLayer)
		case !l.allowed(name) && !fromKubernetes(name, text):
			l.fault(name, "", "no such setting%s", hint(name, l.variables()))
		}
	}
	return values
}

func (l *loader) allowed(name string) bool {
	return slices.Contains(noSettings, strings.TrimPrefix(name, l.options.EnvPrefix+"_")) ||
		slices.Contains(l.options.AllowEnv, name)
}

// fromKubernetes recognizes the variables that Kubernetes sets in every pod for
// each service of the namespace: a service named comporta-auth makes
// COMPORTA_AUTH_SERVICE_HOST, COMPORTA_AUTH_PORT_8100_TCP_ADDR and the like.
func fromKubernetes(name, text string) bool {
	for _, scheme := range []string{"tcp://", "udp://", "sctp://"} {
		if strings.HasPrefix(text, scheme) && strings.Contains(name, "_PORT") {
			return true
		}
	}
	if strings.HasSuffix(name, "_SERVICE_HOST") || strings.Contains(name, "_SERVICE_PORT") {
		return true
	}
	if !strings.Contains(name, "_PORT_") {
		return false
	}
	for _, end := range []string{"_PROTO", "_PORT", "_ADDR"} {
		if strings.HasSuffix(name, "_TCP"+end) || strings.HasSuffix(name, "_UDP"+end) || strings.HasSuffix(name, "_SCTP"+end) {
			return true
		}
	}
	return false
}

func (l *loader) variables() []string {
	names := make([]string, 0, len(l.known.byEnv))
	for name := range l.known.byEnv {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
