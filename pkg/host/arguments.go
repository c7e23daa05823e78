package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/comporta-mcp/comporta/pkg/answer"
	"github.com/comporta-mcp/comporta/pkg/call"
	"github.com/comporta-mcp/comporta/pkg/catalog"
	"github.com/comporta-mcp/comporta/pkg/problem"
)

// asked is what of a call's arguments concerns the host alone.
type asked struct {
	fault *problem.Problem // what is wrong with them; nil: nothing
	page  answer.Page
	// clamped is limit_ajustado: what was asked for and what is done; nil where that is the same.
	clamped map[string]any
	elicits bool   // the client can show its person a page
	retry   *retry // what it brings back from there; nil: this is the first call
}

type askedKey struct{}

func withAsked(ctx context.Context, a *asked) context.Context {
	return context.WithValue(ctx, askedKey{}, a)
}

func askedOf(ctx context.Context) *asked {
	if a, ok := ctx.Value(askedKey{}).(*asked); ok {
		return a
	}
	return &asked{}
}

// readArguments fills the call from its raw arguments, as far as they are right.
func readArguments(c *call.Call, raw json.RawMessage) *asked {
	args, err := decodeArguments(raw)
	if errors.Is(err, errLongNumber) {
		c.Args = map[string]any{}
		return &asked{fault: problem.New(problem.ParametroInvalido, "The arguments hold a number of more than %d digits.", maxNumber).
			With("fields", map[string]string{})}
	}
	if err != nil {
		c.Args = map[string]any{}
		return &asked{fault: problem.New(problem.ParametroInvalido, "The arguments are no JSON object.").
			With("fields", map[string]string{})}
	}
	c.Args = args
	own, common, faults := catalog.SplitCommon(c.Tool, args)
	clean, more := c.Tool.Check(own)
	faults = append(faults, more...)
	for _, path := range answer.StandIns(c.Tool, own) {
		standIn := problem.Sentence{Format: "is what answers show in place of a secret: send the real value again, or leave it out"}
		faults = append(faults, catalog.Fault{Path: path, Message: standIn.String(), Said: standIn})
	}
	if len(faults) > 0 {
		c.Args = recorded(c.Tool, args, faults)
		return &asked{fault: wrongArguments(faults)}
	}
	c.Args = clean
	c.Common = call.Common{
		DryRun:         common.DryRun,
		IdempotencyKey: common.IdempotencyKey,
		Confirmed:      common.Confirmed,
		Confirmation:   common.Confirmation,
		Wait:           time.Duration(common.WaitSeconds) * time.Second,
	}
	a := &asked{}
	a.page, a.clamped = pageOf(c.Tool, common)
	if a.fault = chooseCompany(c, common.CompanyID); a.fault == nil && common.Part != "" {
		if a.page.Part, err = answer.ParsePart(common.Part); err != nil {
			a.fault = wrongPart(err)
		}
	}
	return a
}

// recorded is what the audit may know of refused arguments: plain values of
// arguments that exist and are right. Anywhere else may be a secret, under a
// misspelt name or in the wrong place.
func recorded(t *catalog.Tool, args map[string]any, faults []catalog.Fault) map[string]any {
	out := maps.Clone(args)
	for name, value := range args {
		wrong := slices.ContainsFunc(faults, func(f catalog.Fault) bool {
			rest, ok := strings.CutPrefix(f.Path, name)
			return f.Path == "" || ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
		switch value.(type) {
		case map[string]any, []any:
			wrong = true
		}
		if wrong || !t.Takes(name) {
			out[name] = answer.Redacted
		}
	}
	return out
}

// decodeArguments keeps every digit of a number. Null and absent are empty.
func decodeArguments(raw json.RawMessage) (map[string]any, error) {
	if absent(raw) {
		return map[string]any{}, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var args map[string]any
	if err := decoder.Decode(&args); err != nil {
		return nil, fmt.Errorf("decode the arguments: %w", err)
	}
	if holdsLongNumber(args) {
		return nil, errLongNumber
	}
	return args, nil
}

// maxNumber bounds a number's text: exact arithmetic on longer ones costs time
// that grows with the square of their length. Ids and limits have 19 digits.
const maxNumber = 400

var errLongNumber = fmt.Errorf("a number has more than %d digits", maxNumber)

func holdsLongNumber(v any) bool {
	switch v := v.(type) {
	case json.Number:
		return len(v) > maxNumber
	case map[string]any:
		for _, value := range v {
			if holdsLongNumber(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, holdsLongNumber)
	}
	return false
}

// wrongArguments names each one that is wrong.
func wrongArguments(faults []catalog.Fault) *problem.Problem {
	slices.SortStableFunc(faults, func(a, b catalog.Fault) int { return cmp.Compare(a.Path, b.Path) })
	p := problem.New(problem.ParametroInvalido, "The argument %s is wrong: %s", faults[0].Path, said(faults[0]))
	if len(faults) > 1 {
		p = problem.New(problem.ParametroInvalido, "%d arguments are wrong. The first is %s: %s", len(faults), faults[0].Path, said(faults[0]))
	}
	for _, f := range faults {
		p.Field(f.Path, said(f))
	}
	return p
}

// wrongPart refuses a part that there is not.
func wrongPart(err error) *problem.Problem {
	fault := catalog.Fault{Path: catalog.ArgRange, Message: err.Error()}
	if wrong, ok := errors.AsType[*answer.WrongPart](err); ok {
		fault.Said = wrong.Said
	}
	return wrongArguments([]catalog.Fault{fault})
}

// said is what is wrong, for whatever language.
func said(f catalog.Fault) problem.Sentence {
	if f.Said.Format == "" {
		return problem.Sentence{Format: "%s", Args: []any{f.Message}}
	}
	return f.Said
}

// pageOf is the page that a list tool was asked for. A limit outside the range is
// brought into it, and the answer says so (contract §5).
func pageOf(t *catalog.Tool, common catalog.CommonArgs) (page answer.Page, clamped map[string]any) {
	if t.List == nil {
		return answer.Page{}, nil
	}
	page = answer.Page{Limit: catalog.DefaultLimit, Number: max(1, common.Page)}
	if common.LimitAsked == "" {
		return page, nil
	}
	page.Limit = min(max(common.Limit, 1), catalog.MaxLimit)
	if page.Limit != common.Limit {
		clamped = map[string]any{"pedido": common.LimitAsked, "aplicado": page.Limit}
	}
	return page, clamped
}

// chooseCompany sets the company the call acts in (contract §5): the one that is
// named, or the only one. None is ever taken silently out of several.
func chooseCompany(c *call.Call, id int64) *problem.Problem {
	companies := c.Principal.Companies
	if id != 0 {
		company, ok := c.Principal.Company(id)
		if !ok {
			return companyFault(c, problem.New(problem.ParametroInvalido, "The company %d is not one that this link may act in.", id))
		}
		c.Company = company
		return nil
	}
	if len(companies) == 1 {
		c.Company = companies[0]
		return nil
	}
	if !c.Tool.Company {
		return nil // it acts in none
	}
	return companyFault(c, problem.New(problem.ParametroInvalido, "This link may act in %d companies, so empresa_id must say which one.", len(companies)))
}

// companyFault adds the companies to choose from.
func companyFault(c *call.Call, p *problem.Problem) *problem.Problem {
	var candidates []any
	for _, company := range c.Principal.Companies {
		candidates = append(candidates, map[string]any{"id": company.ID, "name": company.Name})
		if len(candidates) == maxCandidates {
			break
		}
	}
	return p.
		ToDo("Call again with empresa_id set to one of detalle.candidatos. listar_empresas shows all of them.").
		Field(catalog.ArgCompany, problem.Sentence{Format: "must be one of detalle.candidatos"}).
		With("candidatos", candidates)
}

// maxCandidates bounds detalle.candidatos (contract §5).
const maxCandidates = 10
