package catalog

import (
	"io/fs"
	"sync"
)

// Keep gives documents that are read and checked when Load first meets them, and
// then kept: the parts of one process ask for the same ones again and again, and
// reading is most of what Load costs. The files must not change afterwards.
func Keep(fsys fs.FS) fs.FS { return &kept{FS: fsys} }

type kept struct {
	fs.FS
	once sync.Once
	documents
}

// documents are what was read of an area's files. They are read-only.
type documents struct {
	sources []*source
	faults  []*DocumentFault
}

// read reads the documents of a file system, or gives those which it keeps.
func read(fsys fs.FS) documents {
	if k, ok := fsys.(*kept); ok {
		k.once.Do(func() { k.documents = read(k.FS) })
		return k.documents
	}
	found := &faults{}
	sources := readSources(fsys, found).documents()
	for _, src := range sources {
		src.topRules(found)
	}
	return documents{sources: sources, faults: found.list}
}
