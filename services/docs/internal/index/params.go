package index

// Params are the numbers of the scorer. They were set on the dev
// questions as docs/adr/0015 says, and are round on purpose: around
// each of them the measure is flat.
type Params struct {
	// K1 and PieceK1 say how fast repeats of a word stop counting, in a page and in
	// a passage.
	K1, PieceK1 float64
	Page        [pageFields]Field
	Piece       [pieceFields]Field
	// PieceShare and NextPiece are what the best and the second best passage count
	// beside the whole page.
	PieceShare, NextPiece float64
	// Cover is the power with which the share of the question that was found counts.
	Cover float64
	// Near and NearTitle are what words add that stand together in the passage or
	// the title as in the question.
	Near, NearTitle float64
	// Part, Synonym, Bridge and Spelling weigh what stands in for a word: a word
	// inside an identifier, a synonym, a translation, a word spelt alike.
	Part, Synonym, Bridge, Spelling float64
	// Several weighs each word of a synonym or translation that has several.
	Several float64
	// Foreign weighs pages in another language than the question's.
	Foreign float64
	// Twin is how much of its score a page lends to its translation, at most 1.
	Twin float64
}

// Field is how one field counts: Boost for each word, and how much the field's
// Length damps it (0 not, 1 fully).
type Field struct{ Boost, Length float64 }

// The fields of a page.
const (
	inTitle = iota
	inSummary
	inKeywords
	inPath
	inHeadings
	inBody
	pageFields
)

// The fields of a passage.
const (
	inHeading = iota
	inText
	pieceFields
)

// Tuned are the values in use.
func Tuned() Params {
	return Params{
		K1: 2.4, PieceK1: 1.2,
		Page: [pageFields]Field{
			inTitle: {2, 0.4}, inSummary: {4, 0.6}, inKeywords: {2, 0.5}, inPath: {2, 0.5}, inHeadings: {3, 0.6}, inBody: {0.5, 0.75},
		},
		Piece:      [pieceFields]Field{inHeading: {4, 0.4}, inText: {0.5, 0.4}},
		PieceShare: 0.7, NextPiece: 0.05,
		Cover: 0.7, Near: 0.3, NearTitle: 0.4,
		Part: 0.3, Synonym: 0.3, Bridge: 0.9, Spelling: 1,
		Several: 0.5, Foreign: 0.7, Twin: 0.5,
	}
}
