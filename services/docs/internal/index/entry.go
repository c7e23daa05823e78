package index

// entries are what results are made of: a page alone, or, in an index that folds,
// a page and its translations. An entry has at most one page of a shelf.
type entries struct {
	shelves int
	members []uint32   // of entry e on shelf s, at e*shelves+s: the page plus 1; 0: none
	of      [][]uint32 // by shelf and page: the entry
}

// newEntries numbers the pages of all shelves. A second page of a shelf that has
// the same group is no translation, and an entry of its own.
func newEntries(drafts []*draft, fold bool) entries {
	e := entries{shelves: len(drafts)}
	known := map[uint32]uint32{} // by group
	for i, d := range drafts {
		of := make([]uint32, len(d.pages))
		for page, group := range d.groups {
			entry, ok := known[group]
			if !ok || !fold || group == 0 || e.pages(entry)[i] != 0 {
				entry = uint32(len(e.members) / e.shelves)
				e.members = append(e.members, make([]uint32, e.shelves)...)
				known[group] = entry
			}
			e.pages(entry)[i] = uint32(page) + 1
			of[page] = entry
		}
		e.of = append(e.of, of)
	}
	return e
}

// pages are an entry's, by shelf: each plus 1, 0 where the shelf has none.
func (e entries) pages(entry uint32) []uint32 {
	return e.members[int(entry)*e.shelves : (int(entry)+1)*e.shelves]
}
