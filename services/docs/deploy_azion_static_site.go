package docs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/host"
	"github.com/comporta-mcp/comporta/pkg/problem"
	"github.com/comporta-mcp/comporta/services/docs/internal/guides"
)

type guideInput struct {
	Step string `json:"step,omitempty" jsonschema:"one step, such as step-0-preparation; without it, all steps in order"`
}

type guideOutput struct {
	URI  string `json:"uri" jsonschema:"the resource with the same text"`
	Text string `json:"text" jsonschema:"the guide, Markdown"`
}

// deployTopic is the guide that the tool gives.
const deployTopic = "deploy"

// deployTool gives the guide to clients that read no resources.
func deployTool(steps []guides.Step, scheme string, now func() time.Time) (host.Tool, error) {
	t, err := catalog.HandTool(catalog.Tool{
		Area: "docs", Name: "deploy_azion_static_site", Title: "How to deploy a static site",
		Description: "Gives a step-by-step guide for bringing a folder of finished files online on Azion, with the commands and what to ask the person. It only gives text and changes nothing.",
		Profiles:    []string{guidesProfile}, Effect: catalog.Read, Idempotent: true,
	}, guideInput{}, guideOutput{})
	return host.Tool{Tool: t, Run: func(_ context.Context, c *call.Call) (*call.Answer, error) {
		name, _ := c.Args["step"].(string)
		return guide(guides.Of(steps, deployTopic), name, scheme, now())
	}}, err
}

func guide(steps []guides.Step, name, scheme string, now time.Time) (*call.Answer, error) {
	var texts, names []string
	uri := scheme + "://guides/" + deployTopic
	for _, s := range steps {
		names = append(names, s.Name)
		if name == s.Name {
			return guideAnswer(s.URI(scheme), s.Text(scheme, now)), nil
		}
		texts = append(texts, s.Text(scheme, now))
	}
	if name != "" {
		return nil, problem.New(problem.ParametroInvalido, "There is no step %s.", name).
			ToDo("Use one of: %s.", strings.Join(names, ", ")).
			Field("step", problem.Sentence{Format: "is no step of this guide"})
	}
	return guideAnswer(uri, strings.Join(texts, "\n---\n\n")), nil
}

func guideAnswer(uri, text string) *call.Answer {
	return &call.Answer{Value: map[string]any{"uri": uri, "text": text}, Text: text}
}

// guideResources are all steps of all guides.
func guideResources(steps []guides.Step, scheme string, now func() time.Time) []host.Resource {
	var out []host.Resource
	for _, s := range steps {
		out = append(out, host.Resource{
			URI: s.URI(scheme), Name: s.Topic + "/" + s.Name, Title: s.Title,
			Description: "One step of the guide " + s.Topic + ".", MIMEType: markdown,
			Read: func(context.Context, string) (string, error) { return s.Text(scheme, now()), nil },
		})
	}
	return out
}

// guideTemplate is the family of the guides, with the names that its variables may have.
func guideTemplate(steps []guides.Step, scheme string) host.Template {
	return host.Template{
		URI: fmt.Sprintf("%s://guides/{topic}/{step}", scheme), Name: "guides", Title: "Guides",
		Description: "Step-by-step guides: deploying a static site, testing its cache.", MIMEType: markdown,
		Complete: func(variable string, chosen map[string]string) []string {
			var values []string
			seen := map[string]bool{}
			for _, s := range steps {
				value := s.Name
				if variable == "topic" {
					value = s.Topic
				} else if variable != "step" || chosen["topic"] != "" && chosen["topic"] != s.Topic {
					continue
				}
				if !seen[value] {
					seen[value] = true
					values = append(values, value)
				}
			}
			return values
		},
	}
}

const markdown = "text/markdown"
