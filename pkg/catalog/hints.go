package catalog

// Hints are MCP's annotations of a tool. All are always said: clients take a
// missing one for the worst.
type Hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

// Hints follow from the effect; a tool without a declaration destroys.
func (t *Tool) Hints() Hints {
	return Hints{
		ReadOnly:    !t.Writes(),
		Destructive: t.Writes() && t.Effect != Write,
		Idempotent:  t.Idempotent || !t.Writes(),
		OpenWorld:   t.OpenWorld,
	}
}
