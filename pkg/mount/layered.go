package mount

import (
	"bytes"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"
)

// layered is an area's own documents with more beside them. Names of the added
// ones begin with "apis-", which no area's own do.
type layered struct {
	own   fs.FS // nil: none
	added map[string][]byte
}

// Open opens an added document, or the area's own of the name.
func (l layered) Open(name string) (fs.File, error) {
	if data, ok := l.added[name]; ok {
		return &file{Reader: bytes.NewReader(data), info: info{name, int64(len(data))}}, nil
	}
	if l.own == nil {
		if name == "." {
			return &file{Reader: bytes.NewReader(nil), info: info{name, 0}}, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return l.own.Open(name)
}

// ReadDir lists both where the top is asked for.
func (l layered) ReadDir(name string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	if l.own != nil {
		var err error
		if entries, err = fs.ReadDir(l.own, name); err != nil || name != "." {
			return entries, err
		}
	}
	for _, added := range slices.Sorted(maps.Keys(l.added)) {
		entries = append(entries, fs.FileInfoToDirEntry(info{added, int64(len(l.added[added]))}))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// file is an added document, open for reading.
type file struct {
	io.Reader
	info info
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

// info describes an added document, or the top that holds them.
type info struct {
	name string
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.name == "." }
func (i info) Sys() any           { return nil }

func (i info) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
