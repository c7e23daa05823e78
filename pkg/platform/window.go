package platform

import "github.com/comporta-mcp/comporta/pkg/identity"

// around is the asked bytes and, on both sides, as many as a credential that they
// cut may have outside: only a whole one is recognized, and two parts that meet
// inside it would otherwise tell it together.
func (s span) around(authorization identity.Secret) span {
	margin := int64(0)
	for _, form := range credentialForms(authorization) {
		margin = max(margin, int64(len(form)-1))
	}
	return span{first: max(s.first-margin, 0), last: s.last + margin}
}

// narrow leaves the asked bytes of a content that was read around them.
func (got *reply) narrow(asked span) {
	size := int64(len(got.body))
	from := min(max(asked.first-got.part.first, 0), size)
	to := max(min(asked.last+1-got.part.first, size), from)
	got.body = got.body[from:to]
	got.part.first = asked.first
}

// pastTheEnd: a platform without ranges answers all the same, and one with them
// has what stands before the asked bytes.
func (got *reply) pastTheEnd() bool {
	switch {
	case got.part == nil || got.part.first == 0:
		return false
	case got.part.total >= 0:
		return got.part.first >= got.part.total
	}
	return len(got.body) == 0 && got.broken == nil
}
