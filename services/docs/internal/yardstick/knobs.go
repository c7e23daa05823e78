package yardstick

import "github.com/comporta-mcp/comporta/services/docs/internal/index"

// knob is one number of the scorer, and the values that are tried for it.
type knob struct {
	name   string
	of     func(*index.Params) *float64
	values []float64
}

// knobs are all of them. Grids are coarse on purpose: finer ones fit the questions
// and not what they are like.
var knobs = func() []knob {
	share, boost := []float64{0, 0.25, 0.5, 0.75, 1}, []float64{0.5, 1, 2, 4}
	out := []knob{
		{"K1", func(p *index.Params) *float64 { return &p.K1 }, []float64{0.8, 1.2, 2.4, 4}},
		{"PieceK1", func(p *index.Params) *float64 { return &p.PieceK1 }, []float64{0.8, 1.2, 2.4, 4}},
		{"PieceShare", func(p *index.Params) *float64 { return &p.PieceShare }, []float64{0, 0.35, 0.7, 1.4}},
		{"NextPiece", func(p *index.Params) *float64 { return &p.NextPiece }, []float64{0, 0.05, 0.2}},
		{"Cover", func(p *index.Params) *float64 { return &p.Cover }, []float64{0, 0.5, 1, 1.5}},
		{"Near", func(p *index.Params) *float64 { return &p.Near }, []float64{0, 0.15, 0.3, 0.6}},
		{"NearTitle", func(p *index.Params) *float64 { return &p.NearTitle }, []float64{0, 0.15, 0.3, 0.6}},
		{"Part", func(p *index.Params) *float64 { return &p.Part }, share},
		{"Synonym", func(p *index.Params) *float64 { return &p.Synonym }, share},
		{"Bridge", func(p *index.Params) *float64 { return &p.Bridge }, share},
		{"Spelling", func(p *index.Params) *float64 { return &p.Spelling }, share},
		{"Foreign", func(p *index.Params) *float64 { return &p.Foreign }, []float64{0.5, 0.7, 0.85, 1}},
		{"Twin", func(p *index.Params) *float64 { return &p.Twin }, []float64{0, 0.25, 0.5, 1}},
	}
	field := func(name string, of func(*index.Params) *index.Field) {
		out = append(out,
			knob{name + " boost", func(p *index.Params) *float64 { return &of(p).Boost }, boost},
			knob{name + " length", func(p *index.Params) *float64 { return &of(p).Length }, []float64{0.25, 0.5, 0.75}})
	}
	for i, name := range []string{"title", "summary", "keywords", "path", "headings", "body"} {
		field(name, func(p *index.Params) *index.Field { return &p.Page[i] })
	}
	for i, name := range []string{"piece heading", "piece text"} {
		field(name, func(p *index.Params) *index.Field { return &p.Piece[i] })
	}
	return out
}()

// Textbook are the numbers of one who knows BM25 and has seen no question.
func Textbook() index.Params {
	p := index.Params{K1: 1.2, PieceK1: 1.2, PieceShare: 0.7, Part: 0.5, Synonym: 0.5, Bridge: 0.5, Spelling: 0.5, Foreign: 1}
	for i := range p.Page {
		p.Page[i] = index.Field{Boost: 1, Length: 0.75}
	}
	for i := range p.Piece {
		p.Piece[i] = index.Field{Boost: 1, Length: 0.75}
	}
	return p
}
