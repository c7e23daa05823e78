package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"sync"
)

// readOnly knows which tools say of themselves that they read.
type readOnly struct {
	mu     sync.Mutex
	listed bool
	reads  map[string]bool
}

// listedTool is what of a tool counts here.
type listedTool struct {
	Name        string `json:"name"`
	Annotations struct {
		ReadOnly bool `json:"readOnlyHint"`
	} `json:"annotations"`
}

func (o *readOnly) learn(t listedTool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reads == nil {
		o.reads = map[string]bool{}
	}
	o.reads[t.Name] = t.Annotations.ReadOnly
	return t.Annotations.ReadOnly
}

func (o *readOnly) allows(tool string) (known, allowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	allowed, known = o.reads[tool]
	return known || o.listed, allowed
}

// permitted answers calls of tools that write itself.
func (r *relay) permitted(ctx context.Context, m *message) bool {
	for _, one := range append(m.batch, *m) {
		if one.Method != "tools/call" {
			continue
		}
		known, allowed := r.readOnly.allows(one.Params.Name)
		if !known {
			if err := r.listTools(ctx, one); err != nil {
				r.Log.Warn("listing the tools failed", "error", err)
			}
			_, allowed = r.readOnly.allows(one.Params.Name)
		}
		if allowed {
			continue
		}
		for _, id := range m.requests() {
			r.write(failure(id, invalidParams, fmt.Sprintf("tool %q may write, and this bridge was started with --read-only", one.Params.Name)))
		}
		return false
	}
	return true
}

// invalidParams is the code of a tool that does not exist (contract §3).
const invalidParams = -32602

// filter takes the tools that write out of an answer to tools/list.
func (o *readOnly) filter(m *message, line []byte) []byte {
	if m.Method != "tools/list" && m.batch == nil {
		return line
	}
	if line[0] == '[' {
		var all []json.RawMessage
		if json.Unmarshal(line, &all) != nil {
			return line
		}
		for i, one := range all {
			all[i] = o.filter(&message{Method: "tools/list"}, one)
		}
		return marshalled(all, line)
	}
	var answer, result map[string]json.RawMessage
	var tools, kept []json.RawMessage
	if json.Unmarshal(line, &answer) != nil || json.Unmarshal(answer["result"], &result) != nil || json.Unmarshal(result["tools"], &tools) != nil {
		return line
	}
	kept = []json.RawMessage{}
	for _, raw := range tools {
		var t listedTool
		if json.Unmarshal(raw, &t) == nil && o.learn(t) {
			kept = append(kept, raw)
		}
	}
	result["tools"] = marshalled(kept, nil)
	answer["result"] = marshalled(result, nil)
	return marshalled(answer, line)
}

// marshalled is v as JSON; what came as JSON goes as JSON.
func marshalled(v any, otherwise []byte) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return otherwise
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// pagesOfTools bounds a list whose pages never end.
const pagesOfTools = 100

// listTools lists on the bridge's own account, in the manner of the call that needs it.
func (r *relay) listTools(ctx context.Context, like message) error {
	var params struct {
		Params struct {
			Meta json.RawMessage `json:"_meta,omitempty"`
		} `json:"params"`
	}
	_ = json.Unmarshal(like.raw, &params) // no _meta, then
	cursor := ""
	for range pagesOfTools {
		next, err := r.listPage(ctx, params.Params.Meta, cursor)
		if err != nil {
			return err
		}
		if next == "" || next == cursor {
			break
		}
		cursor = next
	}
	r.readOnly.mu.Lock()
	r.readOnly.listed = true
	r.readOnly.mu.Unlock()
	return nil
}

func (r *relay) listPage(ctx context.Context, meta json.RawMessage, cursor string) (next string, err error) {
	params := map[string]any{}
	if meta != nil {
		params["_meta"] = meta
	}
	if cursor != "" {
		params["cursor"] = cursor
	}
	line := marshalled(map[string]any{"jsonrpc": "2.0", "id": "comporta-bridge", "method": "tools/list", "params": params}, nil)
	m, err := parse(line)
	if err != nil {
		return "", err
	}
	resp, err := r.post(ctx, m, r.current())
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", fmt.Errorf("HTTP %d", resp.StatusCode)
	}
	var page struct {
		Result *struct {
			Tools []listedTool `json:"tools"`
			Next  string       `json:"nextCursor"`
		} `json:"result"`
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind == "text/event-stream" {
		err = events(resp.Body, func(e event) { _ = json.Unmarshal(e.data, &page) })
		if page.Result != nil {
			err = nil
		}
	} else {
		err = json.NewDecoder(resp.Body).Decode(&page)
	}
	if err == nil && page.Result == nil {
		err = errors.New("no list came")
	}
	if err != nil {
		return "", err
	}
	for _, t := range page.Result.Tools {
		r.readOnly.learn(t)
	}
	return page.Result.Next, nil
}
