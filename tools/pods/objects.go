package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// objects are what of the rendered text matters to processes.
type objects struct {
	files     map[string]map[string]string // "ConfigMap/name" and "Secret/name": content by key
	services  []object
	workloads []object // deployments and stateful sets, in the order in which they start
}

type object struct {
	Kind     string
	Metadata struct {
		Name   string
		Labels map[string]string
	}
	Data       map[string]string
	StringData map[string]string `yaml:"stringData"`
	Spec       spec
}

// spec is that of a workload or of a service.
type spec struct {
	Replicas    *int
	ServiceName string `yaml:"serviceName"`
	Template    struct {
		Metadata struct{ Labels map[string]string }
		Spec     podSpec
	}
	ClusterIP string         `yaml:"clusterIP"`
	Selector  map[string]any // of a workload it has matchLabels
	Ports     []servicePort
}

type servicePort struct {
	Name       string
	Port       int
	TargetPort any `yaml:"targetPort"`
}

type podSpec struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []container
	Volumes    []volume
}

type container struct {
	Name, Image string
	Args        []string
	Env         []struct {
		Name, Value string
		ValueFrom   struct {
			FieldRef struct {
				FieldPath string `yaml:"fieldPath"`
			} `yaml:"fieldRef"`
		} `yaml:"valueFrom"`
	}
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	ReadinessProbe probe `yaml:"readinessProbe"`
	Lifecycle      struct {
		PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
	}
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet *struct {
		Path string
		Port any
	} `yaml:"httpGet"`
	TCPSocket *struct{ Port any } `yaml:"tcpSocket"`
}

type volume struct {
	Name      string
	ConfigMap *struct {
		Name  string
		Items []item
	} `yaml:"configMap"`
	Secret *struct {
		SecretName string `yaml:"secretName"`
		Items      []item
	}
}

type item struct{ Key, Path string }

// parse reads documents; kinds that are of no use here are left out.
func parse(text string) (*objects, error) {
	all := &objects{files: map[string]map[string]string{}}
	for documents := yaml.NewDecoder(strings.NewReader(text)); ; {
		var o object
		err := documents.Decode(&o)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the rendered objects: %w", err)
		}
		if err := all.add(o); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.Kind, o.Metadata.Name, err)
		}
	}
}

func (all *objects) add(o object) error {
	switch o.Kind {
	case "ConfigMap":
		all.files["ConfigMap/"+o.Metadata.Name] = o.Data
	case "Secret":
		open := map[string]string{}
		for key, value := range o.Data {
			clear, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			open[key] = string(clear)
		}
		for key, value := range o.StringData {
			open[key] = value
		}
		all.files["Secret/"+o.Metadata.Name] = open
	case "Service":
		all.services = append(all.services, o)
	case "StatefulSet", "Deployment":
		all.workloads = append(all.workloads, o)
	}
	return nil
}

// content gives a volume's files; nil for one that is empty at first.
func (all *objects) content(v volume) (map[string]string, error) {
	from, items := "", []item(nil)
	switch {
	case v.ConfigMap != nil:
		from, items = "ConfigMap/"+v.ConfigMap.Name, v.ConfigMap.Items
	case v.Secret != nil:
		from, items = "Secret/"+v.Secret.SecretName, v.Secret.Items
	default:
		return nil, nil
	}
	content, ok := all.files[from]
	if !ok {
		return nil, fmt.Errorf("there is no %s", from)
	}
	if items == nil {
		return content, nil
	}
	chosen := map[string]string{}
	for _, i := range items {
		chosen[i.Path] = content[i.Key]
	}
	return chosen, nil
}

// port gives a container's port by its name or number.
func (c container) port(named any) int {
	if number, ok := named.(int); ok {
		return number
	}
	for _, p := range c.Ports {
		if p.Name == named {
			return p.ContainerPort
		}
	}
	return 0
}
